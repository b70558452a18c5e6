// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "views/report/stack_report.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

using stacks::CodeHits;
using stacks::FunctionCode;
using stacks::StackProfile;

std::string percent_text(u64 part, u64 whole) {
  return text::fixed(text::percent_of(part, whole), 2);
}

std::string place_of_line(const stacks::CodeLine& line) {
  if (line.line == 0) return "-";
  return fmt::format("{}:{}", line.file, line.line);
}

// Unlike in other tables, a line is not padded to the longest cell: it ends with its text, or at the edge of the
// screen. `shares`: percentages by which rows are coloured.
void append_narrow_table(std::string& out, const Table& table, const std::vector<double>& shares, usize width) {
  constexpr usize kHead = 2;
  const std::string text = table_text(table);
  for (usize begin = 0, number = 0; begin < text.size(); ++number) {
    const usize end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line.erase(line.find_last_not_of(' ') + 1);
    if (width != 0) line = text::cut_to(line, width);
    const bool is_row = number >= kHead && number - kHead < shares.size();
    out += (is_row ? text::coloured_by_share(std::move(line), shares[number - kHead]) : line) + '\n';
    begin = end + 1;
  }
}

// The total to which the shares of a function's lines refer.
u64 whole_of(const FunctionCode& code) {
  return code.with_calls ? code.all.period : code.hits.period;
}

// A row begins with its share including called code, its share without called code, and its samples. These cells are
// empty if the row has no samples.
void add_hits(Columns& to, const FunctionCode& code, const CodeHits& hits, const CodeHits& all) {
  const auto share = [&](std::string_view title, const CodeHits& of) {
    const std::string text = of.samples != 0 ? percent_text(of.period, whole_of(code)) : std::string();
    to.string({.text = title, .place = 1, .align = Align::right}, text);
  };
  if (code.with_calls) share("all %", all);
  share(code.with_calls ? "self %" : "%", hits);
  to.add({"samples", "samples", 2}, hits.samples, hits.samples != 0 ? text::with_commas(hits.samples) : std::string());
  to.member("period", hits.period);
  if (!code.with_calls) return;
  to.member("all_samples", all.samples);
  to.member("all_period", all.period);
}

auto line_columns(const FunctionCode& code) {
  return [&code](Columns& to, const stacks::CodeLine& line) {
    to.member("file", line.file);
    to.add({.text = "line", .key = "line", .place = 3, .align = Align::left}, line.line, place_of_line(line));
    add_hits(to, code, line.hits, line.all);
    to.add({"source", line.source.empty() ? "" : "source", 4}, line.source, source_cell(line.source));
  };
}

auto instruction_columns(const FunctionCode& code) {
  return [&code](Columns& to, const stacks::CodeInstruction& one) {
    to.add({"address", "address", 3}, one.address, fmt::format("{:x}", one.address));
    to.string({"instruction", "text", 5}, one.text);
    add_hits(to, code, one.hits, one.all);
    to.string({"line", one.line.empty() ? "" : "line", 4}, one.line);
  };
}

void append_lines(std::string& out, const FunctionCode& code, const StackOptions& options) {
  const auto lines = std::span(code.lines).first(std::min<usize>(code.lines.size(), options.rows));
  std::vector<double> shares;
  for (const stacks::CodeLine& line : lines) {
    if (options.coloured) shares.push_back(text::percent_of(line.hits.period, whole_of(code)));
  }
  append_narrow_table(out, table_of(lines, line_columns(code)), shares, options.width);
}

void append_instructions(std::string& out, const FunctionCode& code, const StackOptions& options) {
  Table table;
  Columns columns(table);
  std::vector<double> shares;
  for (const stacks::CodeInstruction& one : code.instructions) {
    if (one.follows_gap) {
      table.rows.emplace_back(code.with_calls ? 3 : 2);
      table.rows.back().emplace_back("...");
    }
    columns.add_row(one, instruction_columns(code));
    shares.resize(table.rows.size());
    shares.back() = text::percent_of(one.hits.period, whole_of(code));
  }
  if (!options.coloured) shares.clear();
  append_narrow_table(out, table, shares, options.width);
}

}  // namespace

void append_code(std::string& out, const StackProfile& profile, u32 event, const StackOptions& options) {
  for (const FunctionCode& code : profile.code) {
    if (code.event != event) continue;
    const stacks::StackFunction& function = profile.functions[code.function];
    const u64 whole = profile.events[event].period;
    fmt::format_to(std::back_inserter(out), "\n{} ({}): ", function.name, profile.modules[function.module].name);
    if (code.with_calls) {
      fmt::format_to(std::back_inserter(out),
                     "{} % including callees, {} % itself; shares below are of the first number\n",
                     percent_text(code.all.period, whole), percent_text(code.hits.period, whole));
    } else {
      fmt::format_to(std::back_inserter(out), "{} samples, {} %; shares below are of these\n",
                     text::with_commas(code.hits.samples), percent_text(code.hits.period, whole));
    }
    if (!code.lines.empty()) append_lines(out, code, options);
    if (!code.lines.empty() && !code.instructions.empty()) out += '\n';
    if (!code.instructions.empty()) append_instructions(out, code, options);
    if (!code.reason.empty()) fmt::format_to(std::back_inserter(out), "  {}\n", code.reason);
  }
}

void write_code(text::JsonWriter& json, const StackProfile& profile, u32 event) {
  if (profile.code.empty()) return;
  json.begin_array("code");
  for (const FunctionCode& code : profile.code) {
    if (code.event != event) continue;
    const stacks::StackFunction& function = profile.functions[code.function];
    json.begin_object();
    json.string("symbol", function.name);
    json.string("module", profile.modules[function.module].name);
    Columns columns(json);
    add_hits(columns, code, code.hits, code.all);
    if (!code.lines.empty()) columns.rows("lines", code.lines, line_columns(code));
    if (!code.instructions.empty()) columns.rows("instructions", code.instructions, instruction_columns(code));
    if (!code.reason.empty()) {
      json.string("reason", code.reason);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace wperf::report
