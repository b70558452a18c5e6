// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "code/modules/source_files.h"
#include "ground/text/number_text.h"
#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

using Cells = std::vector<std::string>;

// Overhead and count, the first columns of every row.
Cells share(u64 count, u64 samples) {
  return {text::fixed(text::percent_of(count, samples), 2), std::to_string(count)};
}

Table table_of_shares(std::initializer_list<Column> columns) {
  Table table{.columns = {{"overhead", Align::right, true}, {"count", Align::right, true}}, .rows = {}};
  table.columns.insert(table.columns.end(), columns);
  return table;
}

std::string module_name(const compat::CompatView& view, const compat::ModuleCount& row) {
  if (row.module != answers::kNone) return view.run.target.modules[row.module].name;
  return std::string(compat::bare_name({.kind = row.kind, .name = {}}));
}

void add_callers(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options,
                 Table& table) {
  const ShownRows shown = shown_rows(view, event, options);
  for (const compat::CallerCount& row : event.callers) {
    const bool is_shown = std::any_of(shown.rows.begin(), shown.rows.end(),
                                      [&](const compat::SymbolRow* other) { return other->symbol == row.symbol; });
    if (!is_shown) continue;
    Cells cells = share(row.count, event.samples);
    cells.push_back(compat::display_name(view, row.symbol));
    cells.push_back(row.caller == answers::kNone ? "[not known]" : compat::display_name(view, row.caller));
    table.rows.push_back(std::move(cells));
  }
}

void add_losses(const answers::CoreSamples& core, u64 lost, const char* cause, Table& table) {
  if (lost == 0) return;
  table.rows.push_back({std::to_string(core.core), text::with_commas(core.generated), text::with_commas(lost),
                        text::fixed(text::percent_of(lost, core.generated), 2), cause});
}

constexpr std::string_view kHot = text::kBrightRed, kPlain = text::kNoColour;
constexpr std::string_view kAddressTitle = "address", kInstructionTitle = "instruction";

// Contract 9.7: a table embedded in the column, with one cell on each line, indented by two blanks relative to the
// column's title.
std::vector<std::string> embedded_table(const compat::CompatView& view, const compat::CodeBlock& code, u32 hot_rva,
                                        bool colour) {
  std::vector<std::string> addresses, texts;
  usize width = kAddressTitle.size();
  for (const compat::Instruction& instruction : code.instructions) {
    addresses.push_back(code_address(view, code.module, instruction.rva));
    texts.push_back(text::name_in_line(instruction.text));
    width = std::max(width, addresses.back().size());
  }
  std::vector<std::string> lines = {fmt::format("  {:<{}}  {}", kAddressTitle, width, kInstructionTitle),
                                    fmt::format("  {:=<{}}{:{}}  {:=<{}}", "", kAddressTitle.size(), "",
                                                width - kAddressTitle.size(), "", kInstructionTitle.size())};
  for (usize i = 0; i < texts.size(); ++i) {
    const bool marked = colour && code.instructions[i].rva == hot_rva;
    lines.push_back(
        fmt::format("  {}{:<{}}  {}{}", marked ? kHot : "", addresses[i], width, texts[i], marked ? kPlain : ""));
  }
  return lines;
}

}  // namespace

void append_heading(std::string& out, std::string_view what) {
  fmt::format_to(std::back_inserter(out), "{:=<24} {} {:=<24}\n", "", what, "");
}

std::vector<HotFunction> hot_functions(const compat::CompatView& view, const compat::SampledEvent& event,
                                       const ShownRows& shown) {
  std::vector<HotFunction> functions;
  for (const compat::SymbolRow* row : shown.rows) {
    functions.push_back(
        {text::percent_of(row->count, event.samples), row->count, compat::display_name(view, row->symbol)});
  }
  return functions;
}

void hot_function_columns(Columns& to, const HotFunction& row) {
  to.add({"overhead", "overhead"}, row.overhead, text::fixed(row.overhead, 2));
  to.number({"count", "count"}, row.count);
  to.string({"symbol", "symbol"}, row.symbol);
}

std::string_view breakdown_name(request::Breakdown breakdown) {
  static constexpr std::string_view kNames[] = {"process", "thread", "module", "core", "caller"};
  return kNames[static_cast<usize>(breakdown)];
}

Table breakdown_table(const compat::CompatView& view, const compat::SampledEvent& event, request::Breakdown breakdown,
                      const SampleOptions& options) {
  Table table = table_of_shares({});
  const auto add = [&](const auto& rows, auto cells_of) {
    for (usize i = 0; i < std::min<usize>(rows.size(), options.rows); ++i) {
      Cells cells = share(rows[i].count, event.samples);
      for (std::string& cell : cells_of(rows[i])) cells.push_back(std::move(cell));
      table.rows.push_back(std::move(cells));
    }
  };
  const Column process{"process", Align::right, true};
  switch (breakdown) {
    case request::Breakdown::process:
      table.columns.insert(table.columns.end(), {process, {"name"}});
      add(event.processes,
          [](const compat::ProcessCount& row) { return Cells{std::to_string(row.process), row.name}; });
      break;
    case request::Breakdown::thread:
      table.columns.insert(table.columns.end(), {process, {"thread", Align::right, true}});
      add(event.threads, [](const compat::ThreadCount& row) {
        return Cells{std::to_string(row.process), std::to_string(row.thread)};
      });
      break;
    case request::Breakdown::module:
      table.columns.push_back({"module"});
      add(event.modules, [&](const compat::ModuleCount& row) { return Cells{module_name(view, row)}; });
      break;
    case request::Breakdown::core:
      table.columns.push_back({"core", Align::right, true});
      add(event.cores, [](const compat::CoreCount& row) { return Cells{std::to_string(row.core)}; });
      break;
    case request::Breakdown::caller:
      table.columns.insert(table.columns.end(), {{"symbol"}, {"caller"}});
      add_callers(view, event, options, table);
      break;
  }
  return table;
}

Table loss_table(const compat::CompatView& view) {
  Table table{.columns = {{"core", Align::right, true},
                          {"generated", Align::right, true},
                          {"lost", Align::right, true},
                          {"percent", Align::right, true},
                          {"cause"}},
              .rows = {}};
  for (const answers::CoreSamples& core : view.run.cores) {
    add_losses(core, core.lost_ring_full, "came faster than they were collected; use a larger interval", table);
    add_losses(core, core.lost_filtered, "hit the kernel without -k, or programs of other users", table);
  }
  return table;
}

std::vector<SymbolNote> symbol_notes(const compat::CompatView& view) {
  u64 samples = 0;
  for (const compat::SampledEvent& event : view.events) samples += event.samples;
  std::vector<SymbolNote> notes;
  for (u32 i = 0; i < view.run.target.modules.size(); ++i) {
    const answers::SampleModule& module = view.run.target.modules[i];
    if (module.samples != 0 && !module.reason.empty()) {
      notes.push_back({.module = i, .percent = text::percent_of(module.samples, samples)});
    }
  }
  std::sort(notes.begin(), notes.end(), [](const SymbolNote& a, const SymbolNote& b) {
    return std::tie(b.percent, a.module) < std::tie(a.percent, b.module);
  });
  return notes;
}

bool is_annotated(const compat::CompatView& view, const compat::SymbolRow& row) {
  const compat::Symbol& symbol = view.symbols[row.symbol];
  if (symbol.kind != compat::SymbolKind::function) return false;
  return symbol.module == answers::kNone || !view.run.target.modules[symbol.module].kernel || !row.lines.empty();
}

std::string code_address(const compat::CompatView& view, u32 module, u32 rva) {
  const u64 image_base = module == answers::kNone ? 0 : view.run.target.modules[module].image_base;
  return fmt::format("{:x}", (image_base + rva) & 0xffffffu);
}

Table annotation_table(const compat::CompatView& view, const compat::SymbolRow& row, const SampleOptions& options) {
  Table table{.columns = {{"line_number"}, {"hits"}, {"filename"}}, .rows = {}};
  if (options.source) table.columns.push_back({"source"});
  if (options.disassemble) {
    table.columns.push_back({"instruction_address"});
    table.columns.push_back({.title = "disassembled_line", .coloured = true});
  }
  for (const compat::LineRow& line : row.lines) {
    const compat::SourceFile& file = view.files[line.file];
    std::vector<std::string> cells = {text::with_commas(line.line), text::with_commas(line.hits), file.path};
    if (options.source) cells.push_back(source_cell(modules::source_line(file.text, line.line)));
    if (options.disassemble) cells.push_back(code_address(view, line.module, line.hot_rva));
    const usize last = cells.size();
    table.rows.push_back(std::move(cells));
    if (!options.disassemble) continue;
    const compat::CodeBlock* code = compat::find_code(view, line.module, line.code_begin, line.code_end);
    if (code == nullptr) continue;
    std::vector<std::string> embedded = embedded_table(view, *code, line.hot_rva, options.colour);
    table.rows.back().push_back(std::move(embedded[0]));
    for (usize i = 1; i < embedded.size(); ++i) {
      table.rows.emplace_back(last);
      table.rows.back().push_back(std::move(embedded[i]));
    }
  }
  return table;
}

Table inlined_table(const compat::CompatView& view, const compat::SymbolRow& row) {
  Table table{.columns = {{"line_number"}, {"hits"}, {"inlined"}, {"from"}}, .rows = {}};
  for (const compat::LineRow& line : row.lines) {
    for (const compat::InlinedHits& inlined : line.inlined) {
      std::string from = inlined.file == answers::kNone ? "" : view.files[inlined.file].path;
      if (inlined.line != 0) from += fmt::format(":{}", inlined.line);
      table.rows.push_back(
          {text::with_commas(line.line), text::with_commas(inlined.hits), inlined.function, std::move(from)});
    }
  }
  return table;
}

ShownRows shown_rows(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options) {
  ShownRows shown;
  shown.rows = compat::choose_rows(view, event, options.rows, options.symbol);
  shown.total_rows = static_cast<u32>(std::min<usize>(options.rows, event.rows.size()));
  for (u32 i = 0; i < shown.total_rows; ++i) shown.total_count += event.rows[i].count;
  return shown;
}

bool has_samples(const compat::CompatView& view) {
  return std::any_of(view.events.begin(), view.events.end(),
                     [](const compat::SampledEvent& event) { return event.samples != 0; });
}

}  // namespace wperf::report
