// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/topdown_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/topdown/method.h"
#include "ground/text/number_text.h"
#include "views/html/html_report.h"
#include "views/report/escaping.h"
#include "views/report/memory_tables.h"
#include "views/report/spe_report.h"

namespace wperf::html {
namespace {

using report::Topdown;
using report::TopdownFunction;
using report::TopdownSamples;

constexpr usize kMostFunctions = 50;
constexpr u32 kMostPlaces = 20;  // of data

void append_text(std::string& out, std::string_view text) {
  if (!text.empty()) out += "<p>" + report::markup_text(text) + "</p>\n";
}

// A bar that says in words, too, how long it is.
std::string meter(double percent) {
  const double shown = std::clamp(percent, 0.0, 100.0);
  return fmt::format("<meter min=\"0\" max=\"100\" value=\"{0:.2f}\">{0:.2f} %</meter>", shown);
}

void append_tree(std::string& out, const topdown::Drill& drill) {
  append_head(out, "Where the slots went",
              {"Node", "Share", "%", "± (95 %)", "Of", "Run", "What it means and how to improve it"});
  for (const u32 index : report::counted_nodes(drill)) {
    const topdown::Node& node = drill.method().nodes[index];
    const topdown::Share& share = drill.shares()[index];
    const bool worst = index == drill.worst();
    out += fmt::format("<tr{}><th scope=\"row\" class=\"level-{}\">{}{}</th><td>{}</td>",
                       worst ? " class=\"worst\"" : "", node.level, report::markup_text(node.metric.name),
                       worst ? " ←" : "", share.is_sure() ? meter(share.value) : "");
    append_cells(out, {report::topdown_percent(share), report::topdown_margin(share), node.of,
                       std::to_string(share.run), topdown::meaning_of(node.metric.name)});
  }
  out += "</tbody></table>\n";
  append_text(out, report::topdown_sum(drill));
  append_text(out, report::topdown_verdict(drill));
}

void append_groups(std::string& out, const topdown::Drill& drill) {
  if (drill.groups().empty()) return;
  append_capital_table(out, "Misses that may explain it", report::topdown_group_table(drill), drill.likely_group());
  append_text(out, report::topdown_group_verdict(drill));
}

void append_sampled_functions(std::string& out, const TopdownSamples& where) {
  if (where.event.empty()) return;
  if (where.samples == 0) {
    append_text(out, "No sample of " + where.event + " was taken, so no function can be named.");
    return;
  }
  append_head(out,
              fmt::format("Where {} happens: {} samples, one in {}", where.event, text::with_commas(where.samples),
                          text::with_commas(where.interval)),
              {"Share", "%", "95 % interval", "Samples", "Module", "Function", "Hottest line", "% of it"});
  const usize shown = std::min(where.functions.size(), kMostFunctions);
  for (const TopdownFunction& row : std::span(where.functions).first(shown)) {
    const double share = 100.0 * static_cast<double>(row.samples) / static_cast<double>(where.samples);
    const report::Interval interval = report::share_interval(row.samples, where.samples, where.missing);
    const double of_it = 100.0 * static_cast<double>(row.line_samples) / static_cast<double>(row.samples);
    out += "<tr><td>" + meter(share) + "</td>";
    append_cells(
        out, {fmt::format("{:.2f}", share), fmt::format("{:.2f} to {:.2f}", 100 * interval.low, 100 * interval.high),
              text::with_commas(row.samples), row.module, row.function, row.line.empty() ? "-" : row.line,
              row.line.empty() ? "-" : fmt::format("{:.1f}", of_it)});
  }
  out += "</tbody></table>\n";
  append_text(out, report::missing_samples(where));
  if (where.functions.size() > shown) append_text(out, fmt::format("… and {} more", where.functions.size() - shown));
}

void append_memory(std::string& out, const operations::SpeProfile& profile) {
  const report::SpeOptions options{.samples = {}, .memory = true, .memory_rows = kMostPlaces};
  append_table(out, "Where data came from, by SPE", report::source_table(*profile.memory));
  append_table(out, "Functions that waited for it", report::access_symbol_table(profile, options));
  append_table(out, "Lines that waited for it", report::access_line_table(profile, options));
}

void append_kind(std::string& out, const Topdown& kind) {
  out += "<h1>" + report::markup_text(report::topdown_headline(kind)) + "</h1>\n";
  append_tree(out, kind.drill);
  append_groups(out, kind.drill);
  append_sampled_functions(out, kind.answer.where);
  if (kind.answer.memory.has_value() && kind.answer.memory->memory.has_value()) append_memory(out, *kind.answer.memory);
  for (const std::string& note : kind.answer.notes) append_text(out, "Note: " + note);
}

}  // namespace

std::string topdown_page(std::span<const Topdown> kinds) {
  const std::string program = kinds.empty() ? std::string() : kinds.front().answer.program;
  std::string out = page_start((program.empty() ? "top-down" : program) + " - wperf");
  out += "<main id=\"plain\">\n";
  for (const Topdown& kind : kinds) append_kind(out, kind);
  out += "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace wperf::html
