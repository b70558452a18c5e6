// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_annotation.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/modules/source_files.h"
#include "ground/text/number_text.h"
#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

constexpr std::string_view kHot = text::kBrightRed, kPlain = text::kNoColour;
constexpr std::string_view kAddressTitle = "address", kInstructionTitle = "instruction";

// Contract 9.7: an embedded table inside the column, one cell per line, each two blanks right of the column's title.
std::vector<std::string> embedded_table(const compat::CompatView& view, const compat::CodeBlock& code, u32 hot_rva,
                                        bool colour) {
  std::vector<std::string> addresses, texts;
  usize width = kAddressTitle.size();
  for (const compat::Instruction& instruction : code.instructions) {
    addresses.push_back(code_address(view, code.module, instruction.rva));
    texts.push_back(text::name_in_line(instruction_text(instruction)));
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

std::string without_tabs(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t') {
      out.append(4 - out.size() % 4, ' ');
    } else if (static_cast<u8>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool is_annotated(const compat::CompatView& view, const compat::SymbolRow& row) {
  const compat::Symbol& symbol = view.symbols[row.symbol];
  if (symbol.kind != compat::SymbolKind::function) return false;
  return symbol.module == answers::kNone || !view.run.target.modules[symbol.module].kernel || !row.lines.empty();
}

std::string code_address(const compat::CompatView& view, u32 module, u32 rva) {
  const u64 image_base = module == answers::kNone ? 0 : view.run.target.modules[module].image_base;
  return fmt::format("{:x}", (image_base + rva) & 0xffffffu);
}

std::string instruction_text(const compat::Instruction& instruction) {
  if (instruction.operands.empty()) return instruction.mnemonic;
  std::string text = fmt::format("{:<5} {}", instruction.mnemonic, instruction.operands);
  if (!instruction.target.empty()) text += fmt::format(" <{}>", instruction.target);
  return text;
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
    if (options.source) cells.push_back(without_tabs(modules::source_line(file.text, line.line)));
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

}  // namespace wperf::report
