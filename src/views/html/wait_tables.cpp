// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/wait_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ground/text/number_text.h"
#include "views/report/markup_text.h"
#include "views/report/waits_report.h"

namespace wperf::html {
namespace {

constexpr usize kMostWaitRows = 50;

void append_part(std::string& out, std::string_view heading, report::Table table, usize rows) {
  const usize all = table.rows.size();
  table.rows.resize(std::min(all, rows));
  append_table(out, heading, table);
  if (all > rows) out += fmt::format("<p>… and {} more</p>\n", text::with_commas(all - rows));
}

// From the outermost caller to the place of the wait; the last frame names what it waits for.
std::string stack_text(const stacks::StackProfile& profile, u32 node) {
  std::vector<u32> functions;
  for (; node != stacks::kNothing && profile.nodes[node].place != stacks::kNothing; node = profile.nodes[node].parent) {
    functions.push_back(profile.places[profile.nodes[node].place].function);
  }
  std::string text;
  for (auto one = functions.rbegin(); one != functions.rend(); ++one) {
    text += (text.empty() ? "" : " → ") + profile.functions[*one].name;
  }
  return text;
}

report::Table stack_table(const stacks::StackProfile& profile, const waits::WaitMoments& moments) {
  struct Sum {
    u64 count = 0, total = 0, longest = 0;
  };
  std::map<u32, Sum> sums;  // by node
  for (const waits::WaitMoment& one : moments.waits) {
    Sum& sum = sums[one.node];
    ++sum.count;
    sum.total += one.length;
    sum.longest = std::max(sum.longest, one.length);
  }
  std::vector<std::pair<u32, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  report::Table table;
  table.columns = {{.title = "total"}, {.title = "count"}, {.title = "mean"}, {.title = "max"}, {.title = "stack"}};
  for (const auto& [node, sum] : rows) {
    table.rows.push_back({report::wait_time_text(sum.total), text::with_commas(sum.count),
                          report::wait_time_text(sum.total / sum.count), report::wait_time_text(sum.longest),
                          table.rows.size() < kMostWaitRows ? stack_text(profile, node) : std::string()});
  }
  return table;
}

}  // namespace

void append_waits(std::string& out, const WaitsOfPage& waits, const stacks::StackProfile& profile) {
  out += "<h2>Waits</h2>\n";
  for (const std::string& line : report::wait_lines(waits.report)) out += "<p>" + report::markup_text(line) + "</p>\n";
  for (report::WaitPart& part : report::wait_parts(waits.report, {})) {
    append_part(out, part.heading, std::move(part.table), std::min<usize>(part.rows, kMostWaitRows));
  }
  append_part(out, "stacks that they waited in, the outermost caller first", stack_table(profile, waits.moments),
              kMostWaitRows);
}

}  // namespace wperf::html
