// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/number_text.h"
#include "report/stack_report.h"
#include "report/table.h"
#include "report/text_width.h"

namespace wperf::report {
namespace {

using stacks::CodeHits;
using stacks::FunctionCode;
using stacks::StackProfile;

double percent_of(u64 part, u64 whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent_text(u64 part, u64 whole) {
  return fixed(percent_of(part, whole), 2);
}

// Source text as a cell: tabs become blanks, what would move the terminal's cursor goes.
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
    if (width != 0) line = cut_to(line, width);
    const bool is_row = number >= kHead && number - kHead < shares.size();
    out += (is_row ? coloured_by_share(std::move(line), shares[number - kHead]) : line) + '\n';
    begin = end + 1;
  }
}

void append_lines(std::string& out, const FunctionCode& code, const StackOptions& options) {
  Table table{.columns = {{"%", Align::right}, {"samples", Align::right}, {"line"}, {"source"}}, .rows = {}};
  std::vector<double> shares;
  for (usize i = 0; i < std::min<usize>(code.lines.size(), options.rows); ++i) {
    const stacks::CodeLine& line = code.lines[i];
    table.rows.push_back({percent_text(line.hits.period, code.hits.period), with_commas(line.hits.samples),
                          place_of_line(line), as_cell(line.source)});
    if (options.coloured) shares.push_back(percent_of(line.hits.period, code.hits.period));
  }
  append_narrow_table(out, table, shares, options.width);
}

void append_instructions(std::string& out, const FunctionCode& code, const StackOptions& options) {
  Table table{
      .columns = {{"%", Align::right}, {"samples", Align::right}, {"address", Align::right}, {"line"}, {"instruction"}},
      .rows = {}};
  std::vector<double> shares;
  for (const stacks::CodeInstruction& one : code.instructions) {
    if (one.follows_gap) table.rows.push_back({"", "", "..."});
    const bool hit = one.hits.samples != 0;
    table.rows.push_back({hit ? percent_text(one.hits.period, code.hits.period) : "",
                          hit ? with_commas(one.hits.samples) : "", fmt::format("{:x}", one.address), one.line,
                          one.text});
    shares.resize(table.rows.size());
    shares.back() = percent_of(one.hits.period, code.hits.period);
  }
  if (!options.coloured) shares.clear();
  append_narrow_table(out, table, shares, options.width);
}

void write_hits(JsonWriter& json, const CodeHits& hits) {
  json.integer("samples", hits.samples);
  json.integer("period", hits.period);
}

void write_lines(JsonWriter& json, const FunctionCode& code) {
  json.begin_array("lines");
  for (const stacks::CodeLine& line : code.lines) {
    json.begin_object();
    json.string("file", line.file);
    json.integer("line", line.line);
    write_hits(json, line.hits);
    if (!line.source.empty()) {
      json.string("source", line.source);
    }
    json.end_object();
  }
  json.end_array();
}

void write_instructions(JsonWriter& json, const FunctionCode& code) {
  json.begin_array("instructions");
  for (const stacks::CodeInstruction& one : code.instructions) {
    json.begin_object();
    json.integer("address", one.address);
    json.string("text", one.text);
    write_hits(json, one.hits);
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
    fmt::format_to(std::back_inserter(out), "\n{} ({}): {} samples, {} %; below, % of these\n", function.name,
                   profile.modules[function.module].name, with_commas(code.hits.samples),
                   percent_text(code.hits.period, profile.events[event].period));
    if (!code.lines.empty()) append_lines(out, code, options);
    if (!code.lines.empty() && !code.instructions.empty()) out += '\n';
    if (!code.instructions.empty()) append_instructions(out, code, options);
    if (!code.reason.empty()) fmt::format_to(std::back_inserter(out), "  {}\n", code.reason);
  }
}

void write_code(JsonWriter& json, const StackProfile& profile, u32 event) {
  if (profile.code.empty()) return;
  json.begin_array("code");
  for (const FunctionCode& code : profile.code) {
    if (code.event != event) continue;
    const stacks::StackFunction& function = profile.functions[code.function];
    json.begin_object();
    json.string("symbol", function.name);
    json.string("module", profile.modules[function.module].name);
    write_hits(json, code.hits);
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
