// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "ground/packing/deflate.h"
#include "ground/text/base64.h"
#include "ground/text/base_name.h"
#include "ground/text/number_text.h"
#include "views/html/page_parts.h"
#include "views/html/profile_columns.h"
#include "views/report/about_text.h"
#include "views/report/escaping.h"
#include "views/report/headline.h"
#include "views/report/spe_tables.h"
#include "views/report/stack_report.h"
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

// The stack from the outermost caller to the place of the wait. The last frame shows for what the thread waits.
std::string stack_text(const stacks::StackProfile& profile, u32 node) {
  std::vector<u32> functions;
  for (; node != stacks::kNothing && profile.nodes[node].place != stacks::kNothing; node = profile.nodes[node].parent) {
    functions.push_back(profile.function_of(node));
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

// `profile` has the threads' time, for the stacks in which they waited.
void append_waits(std::string& out, const WaitsOfPage& waits, const stacks::StackProfile& profile) {
  out += "<h2>Waits</h2>\n";
  for (const std::string& line : report::wait_lines(waits.report)) out += "<p>" + report::markup_text(line) + "</p>\n";
  for (report::WaitPart& part : report::wait_parts(waits.report, {})) {
    append_part(out, part.heading, std::move(part.table), std::min<usize>(part.rows, kMostWaitRows));
  }
  append_part(out, "stacks that they waited in, the outermost caller first", stack_table(profile, waits.moments),
              kMostWaitRows);
}

void append_memory_part(std::string& out, const operations::SpeProfile& profile) {
  constexpr u32 kMostMemoryRows = 200;
  const auto paragraph = [&out](std::string_view text) {
    if (!text.empty()) out += "<p>" + report::markup_text(text) + "</p>\n";
  };
  const auto parts = report::memory_parts(profile, {.samples = {}, .memory = true, .memory_rows = kMostMemoryRows});
  out += "<section id=\"memory\">\n";
  if (parts.empty()) {
    out += "<h2>Memory</h2>\n";
    paragraph("The SPE records have no memory accesses.");
  }
  for (const report::MemoryPart& part : parts) {
    const bool has_own_line = !part.before.empty();
    if (has_own_line && !part.heading.empty()) out += "<h2>" + report::markup_text(part.heading) + "</h2>\n";
    if (part.table.rows.empty()) paragraph(part.before);
    append_table(out, has_own_line ? part.before : part.heading, part.table);
    paragraph(part.behind);
  }
  out += "</section>\n";
}

using stacks::StackProfile;

constexpr usize kTopRows = 50;
constexpr usize kChunk = usize{8} << 20;  // size of a piece of base64, because browsers limit the length of strings

// Names of functions and files may be broken anywhere; numbers must not be broken.
constexpr usize kLongCell = 40;
std::string_view cell_start(std::string_view text) {
  return text.size() > kLongCell ? "<td class=\"long\">" : "<td>";
}
void append_cell(std::string& out, std::string_view cell) {
  out.append(cell_start(cell)) += report::markup_text(cell) + "</td>";
}

std::string bytes_of_hex(std::string_view digits) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string out;
  for (usize i = 0; i + 1 < digits.size(); i += 2)
    out.push_back(static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1])));
  return out;
}

// The page must not load other files, and may run only the scripts that it contains.
std::string policy(PageKind kind) {
  const char* const script = kind == PageKind::recording ? kScriptHash
                             : kind == PageKind::waits   ? kWaitsScriptHash
                                                         : kDifferenceScriptHash;
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
      text::base64(bytes_of_hex(script)), text::base64(bytes_of_hex(kStyleHash)));
}

void append_losses(std::string& out, const StackProfile& profile) {
  std::string lines;
  for (const report::StackLoss& loss : report::all_losses(profile)) lines += loss.text + '\n';
  out += "<h2>What is missing</h2>\n";
  if (lines.empty())
    out += "<p>The recording reports no losses.</p>\n";
  else
    append_list(out, lines);
}

// The title: the program (or else the file) and the measured events.
std::string title_of(const StackProfile& profile, const stacks::RecordingAbout* about) {
  std::string title = about != nullptr ? about->image : std::string();
  if (title.empty()) title = text::base_name(profile.file);
  if (title.empty()) title = about != nullptr && about->is_of_machine ? "the whole machine" : "a recording";
  const auto event =
      std::find_if(profile.events.begin(), profile.events.end(), [](const auto& one) { return one.samples != 0; });
  if (event == profile.events.end()) return title;
  return title + ": " + (event->name == stacks::kAllTime ? "time of threads" : event->name);
}

void append_headline(std::string& out, const report::Headline& head) {
  std::string lines;
  for (const std::string* line : {&head.time, &head.waited, &head.python, &head.hottest}) {
    if (!line->empty()) lines += (lines.empty() ? "" : "<br>\n") + report::markup_text(*line);
  }
  if (!lines.empty()) out += "<p id=\"headline\">" + lines + "</p>\n";
}

void append_facts(std::string& out, const StackProfile& profile, const stacks::RecordingAbout* about) {
  out += "<h2>The recording</h2>\n<table><tbody>\n";
  const auto row = [&out](std::string_view name, const std::string& value) { append_fact(out, name, value); };
  row("File", profile.file.empty() ? "(not kept)" : profile.file);
  row("Length", profile.elapsed_seconds > 0 ? text::duration(profile.elapsed_seconds) : std::string("not known"));
  if (about != nullptr) append_about(out, *about, "Recorded by");
  row("Note", profile.note);
  for (u32 number = 0; number < profile.events.size(); ++number) {
    const stacks::StackEvent& event = profile.events[number];
    if (event.samples == 0) continue;
    if (event.name == stacks::kAllTime) {
      row("Time of all threads", text::duration(static_cast<double>(event.period) / 1e9));
      continue;
    }
    row("Event", fmt::format("{}: {} samples, {}{}", event.name, text::with_commas(event.samples),
                             report::weight_text(profile, number),
                             event.interval > 1 ? ", one every " + text::with_commas(event.interval) : ""));
  }
  out += "</tbody></table>\n";
}

// The longer side of Wilson's 95 % interval around a share, in percent; see marginOf in filters.js.
double margin_of(u64 hits, u64 all) {
  if (all == 0) return 0;
  constexpr double kZ = 1.96;
  const double n = static_cast<double>(all), share = static_cast<double>(hits) / n, scale = 1 + kZ * kZ / n;
  const double middle = (share + kZ * kZ / (2 * n)) / scale;
  const double half = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n)) / scale;
  return 100 * (half + std::abs(middle - share));
}

// The part of an event that passes the filters. All shares on the page refer to it, in tables and in views.
stacks::StackEvent chosen_part(const StackProfile& profile, u32 event, const HtmlOptions& options) {
  stacks::StackEvent part = profile.events[event];
  part.samples = part.period = 0;
  const stacks::ChosenSamples chosen(profile, options.filter);
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample)) continue;
    part.samples += sample.count;
    part.period += sample.period;
  }
  return part;
}

void append_functions(std::string& out, const StackProfile& profile, u32 event, const HtmlOptions& options) {
  stacks::StackRows made =
      make_rows(profile, event, {stacks::SortKey::module, stacks::SortKey::symbol}, options.filter, true);
  std::stable_sort(made.rows.begin(), made.rows.end(),
                   [](const auto& a, const auto& b) { return a.self_period > b.self_period; });
  const stacks::StackEvent of = chosen_part(profile, event, options);
  std::string choice;
  if (of.samples != profile.events[event].samples) {
    choice = fmt::format("<p>Shares refer to the {} chosen samples, of {} in total.</p>\n",
                         text::with_commas(of.samples), text::with_commas(profile.events[event].samples));
  }
  out += fmt::format(
      "<h2>Hottest functions by {}</h2>\n{}<table><thead><tr><th scope=\"col\">Self %</th><th scope=\"col\">± "
      "(95 %)</th><th scope=\"col\">Samples</th><th scope=\"col\">With callees %</th><th "
      "scope=\"col\">Module</th><th scope=\"col\">Function</th></tr></thead><tbody>\n",
      report::markup_text(of.name), choice);
  const auto share = [&of](u64 period) { return text::percent_of(period, of.period); };
  for (usize i = 0; i < std::min(made.rows.size(), kTopRows); ++i) {
    const stacks::StackRow& row = made.rows[i];
    // The event of the threads' time has no samples.
    const bool sampled = of.name != stacks::kAllTime;
    const std::string margin = sampled ? fmt::format("{:.2f}", margin_of(row.self_samples, of.samples)) : "–";
    const std::string samples = sampled ? text::with_commas(row.self_samples) : "–";
    out += "<tr>";
    append_cells(out, {fmt::format("{:.2f}", share(row.self_period)), margin, samples,
                       fmt::format("{:.2f}", share(row.all_period)), profile.modules[row.module].name,
                       profile.functions[row.function].name});
  }
  out += "</tbody></table>\n";
}

void append_data(std::string& out, std::string_view kind, const std::string& payload) {
  const std::string text = text::base64(packing::deflated(payload, packing::Form::raw, packing::Effort::fast));
  for (usize at = 0; at < text.size(); at += kChunk) {
    out += "<script type=\"application/octet-stream\" class=\"";
    out += kind;
    out += "\">";
    out.append(text, at, kChunk);
    out += "</script>\n";
  }
}

void append_rows(std::string& out, std::string_view caption, const report::Table& table, std::string_view worst = {}) {
  out += fmt::format("<table><caption>{}</caption><thead><tr>", report::markup_text(caption));
  for (const report::Column& column : table.columns)
    out += "<th scope=\"col\">" + report::markup_text(column.title) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += !worst.empty() && row.front() == worst ? "<tr class=\"worst\">" : "<tr>";
    for (const std::string& cell : row) append_cell(out, cell);
    out += "</tr>\n";
  }
  out += "</tbody></table>\n";
}

}  // namespace

void append_fact(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const std::string text = report::markup_text(value);
  out += fmt::format("<tr><th scope=\"row\">{}</th>{}{}</td></tr>\n", name, cell_start(text), text);
}

void append_about(std::string& out, const stacks::RecordingAbout& about, std::string_view made_by) {
  append_fact(out, "Command", about.command);
  append_fact(out, "Host", about.host);
  const std::string cores = about.cores != 0 ? fmt::format("{} cores", about.cores) : std::string();
  append_fact(out, "Processor", about.processor + (about.processor.empty() || cores.empty() ? "" : ", ") + cores);
  append_fact(out, "Date", about.begun_unix_ns != 0 ? report::date_text(about.begun_unix_ns) : std::string());
  append_fact(out, made_by, about.version);
}

void append_head(std::string& out, std::string_view caption, std::initializer_list<std::string_view> columns) {
  out += fmt::format("<table><caption>{}</caption><thead><tr>", report::markup_text(caption));
  for (const std::string_view column : columns) out += fmt::format("<th scope=\"col\">{}</th>", column);
  out += "</tr></thead><tbody>\n";
}

void append_cells(std::string& out, std::initializer_list<std::string_view> cells) {
  for (const std::string_view cell : cells) append_cell(out, cell);
  out += "</tr>\n";
}

void append_table(std::string& out, std::string_view caption, const report::Table& table) {
  if (!table.rows.empty()) append_rows(out, caption, table);
}

void append_capital_table(std::string& out, std::string_view caption, report::Table table, std::string_view worst) {
  for (report::Column& column : table.columns) {
    char& first = column.title.front();
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
  }
  append_rows(out, caption, table, worst);
}

void append_list(std::string& out, const std::string& lines) {
  out += "<ul class=\"losses\">\n";
  for (usize at = 0; at < lines.size();) {
    const usize end = std::min(lines.find('\n', at), lines.size());
    out += "<li>" + report::markup_text(std::string_view(lines).substr(at, end - at)) + "</li>\n";
    at = end + 1;
  }
  out += "</ul>\n";
}

std::string page_start(std::string_view title, PageKind kind) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"{}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" "
      "content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      policy(kind), report::markup_text(title), kStyle);
}

std::string views_start(std::string_view title) {
  return "<div id=\"app\" hidden></div>\n<main id=\"plain\">\n<h1>" + report::markup_text(title) + "</h1>\n";
}

std::string views_end(const StackProfile& profile, const HtmlOptions& options) {
  std::string out = "</main>\n";
  PageData data = profile_columns(profile, options);
  append_data(out, "profile", data.profile);
  data.profile = {};
  if (!data.samples.empty()) append_data(out, "samples", data.samples);
  out += "<script>";
  out += kScript;
  if (!options.difference_json.empty()) out += kDifferenceScript;
  if (options.waits != nullptr) out += kWaitsScript;
  out += kScriptEnd;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

std::string html_text(const StackProfile& profile, const HtmlOptions& options) {
  const std::string title = title_of(profile, options.about) + " - wperf";
  std::string out =
      page_start(title, options.waits != nullptr ? PageKind::waits : PageKind::recording) + views_start(title);
  append_headline(out, report::headline(profile, options.about, options.filter));
  append_losses(out, profile);
  append_facts(out, profile, options.about);
  if (options.spe != nullptr) append_memory_part(out, *options.spe);
  if (options.waits != nullptr) append_waits(out, *options.waits, profile);
  for (u32 event = 0; event < profile.events.size(); ++event) {
    if (profile.events[event].samples != 0) append_functions(out, profile, event, options);
  }
  return out + views_end(profile, options);
}

}  // namespace wperf::html
