// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ground/text/number_text.h"
#include "ground/text/text_width.h"
#include "views/report/stack_report.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

using stacks::CodeHits;
using stacks::FunctionCode;
using stacks::StackProfile;

double percent_of(u64 part, u64 whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent_text(u64 part, u64 whole) {
  return text::fixed(percent_of(part, whole), 2);
}

// Source text as a cell: tabs become blanks, and control characters are left out.
std::string as_cell(std::string_view text) {
  constexpr usize kTab = 4;
  std::string out;
  for (const char c : text) {
    if (c == '\t') {
      out.append(kTab - out.size() % kTab, ' ');
    } else if (static_cast<u8>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
  return out;
}

std::string place_of_line(const stacks::CodeLine& line) {
  if (line.line == 0) return "-";
  return fmt::format("{}:{}", line.file, line.line);
}

// Tables of this room reach as far as their longest cell; here lines end where their text does, or the screen.
// `shares`: in percent, by row, where rows are to be coloured by them.
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

// The total that the shares of a function's lines refer to.
u64 whole_of(const FunctionCode& code) {
  return code.with_calls ? code.all.period : code.hits.period;
}

// The first cells of a row: the share with called code, its own share, and its samples; empty if it was not hit.
std::vector<Column> share_columns(const FunctionCode& code) {
  if (!code.with_calls) return {{"%", Align::right}, {"samples", Align::right}};
  return {{"all %", Align::right}, {"self %", Align::right}, {"samples", Align::right}};
}

std::vector<std::string> share_cells(const FunctionCode& code, const CodeHits& hits, const CodeHits& all) {
  const auto share = [&](const CodeHits& of) {
    return of.samples != 0 ? percent_text(of.period, whole_of(code)) : std::string();
  };
  const std::string samples = hits.samples != 0 ? text::with_commas(hits.samples) : std::string();
  if (!code.with_calls) return {share(hits), samples};
  return {share(all), share(hits), samples};
}

void append_lines(std::string& out, const FunctionCode& code, const StackOptions& options) {
  Table table{.columns = share_columns(code), .rows = {}};
  table.columns.push_back({"line"});
  table.columns.push_back({"source"});
  std::vector<double> shares;
  for (usize i = 0; i < std::min<usize>(code.lines.size(), options.rows); ++i) {
    const stacks::CodeLine& line = code.lines[i];
    std::vector<std::string>& cells = table.rows.emplace_back(share_cells(code, line.hits, line.all));
    cells.push_back(place_of_line(line));
    cells.push_back(as_cell(line.source));
    if (options.coloured) shares.push_back(percent_of(line.hits.period, whole_of(code)));
  }
  append_narrow_table(out, table, shares, options.width);
}

void append_instructions(std::string& out, const FunctionCode& code, const StackOptions& options) {
  Table table{.columns = share_columns(code), .rows = {}};
  const usize shares_end = table.columns.size();
  for (const Column& column : {Column{"address", Align::right}, Column{"line"}, Column{"instruction"}}) {
    table.columns.push_back(column);
  }
  std::vector<double> shares;
  for (const stacks::CodeInstruction& one : code.instructions) {
    if (one.follows_gap) {
      table.rows.emplace_back(shares_end);
      table.rows.back().emplace_back("...");
    }
    std::vector<std::string>& cells = table.rows.emplace_back(share_cells(code, one.hits, one.all));
    for (const std::string& cell : {fmt::format("{:x}", one.address), one.line, one.text}) cells.push_back(cell);
    shares.resize(table.rows.size());
    shares.back() = percent_of(one.hits.period, whole_of(code));
  }
  if (!options.coloured) shares.clear();
  append_narrow_table(out, table, shares, options.width);
}

void write_hits(text::JsonWriter& json, const FunctionCode& of, const CodeHits& hits, const CodeHits& all) {
  json.integer("samples", hits.samples);
  json.integer("period", hits.period);
  if (!of.with_calls) return;
  json.integer("all_samples", all.samples);
  json.integer("all_period", all.period);
}

void write_lines(text::JsonWriter& json, const FunctionCode& code) {
  json.begin_array("lines");
  for (const stacks::CodeLine& line : code.lines) {
    json.begin_object();
    json.string("file", line.file);
    json.integer("line", line.line);
    write_hits(json, code, line.hits, line.all);
    if (!line.source.empty()) {
      json.string("source", line.source);
    }
    json.end_object();
  }
  json.end_array();
}

void write_instructions(text::JsonWriter& json, const FunctionCode& code) {
  json.begin_array("instructions");
  for (const stacks::CodeInstruction& one : code.instructions) {
    json.begin_object();
    json.integer("address", one.address);
    json.string("text", one.text);
    write_hits(json, code, one.hits, one.all);
    if (!one.line.empty()) {
      json.string("line", one.line);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void append_code(std::string& out, const StackProfile& profile, u32 event, const StackOptions& options) {
  for (const FunctionCode& code : profile.code) {
    if (code.event != event) continue;
    const stacks::StackFunction& function = profile.functions[code.function];
    const u64 whole = profile.events[event].period;
    fmt::format_to(std::back_inserter(out), "\n{} ({}): ", function.name, profile.modules[function.module].name);
    if (code.with_calls) {
      fmt::format_to(std::back_inserter(out), "{} % including callees, {} % itself; below, % of the first\n",
                     percent_text(code.all.period, whole), percent_text(code.hits.period, whole));
    } else {
      fmt::format_to(std::back_inserter(out), "{} samples, {} %; below, % of these\n",
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
    write_hits(json, code, code.hits, code.all);
    if (!code.lines.empty()) write_lines(json, code);
    if (!code.instructions.empty()) write_instructions(json, code);
    if (!code.reason.empty()) {
      json.string("reason", code.reason);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace wperf::report
