// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/code_and_sources.h"

#include <set>
#include <tuple>

#include "code/modules/code_text.h"
#include "code/modules/source_files.h"
#include "model/request/sampling_options.h"

namespace wperf::compat {
namespace {

template <typename Visit>
void for_each_shown_line(const CompatView& view, u32 rows, const NameFilter& filter, Visit visit) {
  for (const SampledEvent& event : view.events) {
    for (const SymbolRow* row : choose_rows(view, event, rows, filter)) {
      for (const LineRow& line : row->lines) visit(line);
    }
  }
}

std::optional<modules::CodeBytes> code_of(const modules::CodeFile* file, const CodeBlock& block) {
  const std::optional<u64> begin =
      file != nullptr && file->has_symbols() ? file->address_of_offset(block.begin) : std::nullopt;
  return begin.has_value() ? file->code(*begin, *begin + (block.end - block.begin)) : std::nullopt;
}

diag::Result<void> disassemble(CompatView& view, const FileOfModule& files, const request::SampleDisplay& display,
                               u32 rows) {
  view.code = code_to_disassemble(view, rows, name_filter(display));
  const modules::InstructionStyle style{.mnemonic_width = 5, .decorated = display.decorated_names, .function = {}};
  modules::Disassemblers disassemblers;
  for (CodeBlock& block : view.code) {
    const modules::CodeFile* const file = files(block.module);
    const std::optional<modules::CodeBytes> read = code_of(file, block);
    if (!read.has_value()) continue;
    WPERF_TRY(const auto instructions, disassemblers.disassemble(*read));
    for (const symbols::Instruction& one : instructions) {
      block.instructions.push_back({one.rva, modules::instruction_text(*file, read->base, one, style)});
    }
  }
  return {};
}

}  // namespace

NameFilter name_filter(const request::SampleDisplay& display) {
  if (!display.symbol.has_value()) return {};
  return [filter = *display.symbol](std::string_view name) { return request::matches(filter, name); };
}

std::vector<CodeBlock> code_to_disassemble(const CompatView& view, u32 rows, const NameFilter& filter) {
  std::set<std::tuple<u32, u32, u32>> ranges;
  for_each_shown_line(view, rows, filter, [&](const LineRow& line) {
    if (line.code_begin < line.code_end) ranges.emplace(line.module, line.code_begin, line.code_end);
  });
  std::vector<CodeBlock> blocks;
  for (const auto& [module, begin, end] : ranges) {
    blocks.push_back({.module = module, .begin = begin, .end = end, .instructions = {}});
  }
  return blocks;
}

std::vector<u32> files_to_read(const CompatView& view, u32 rows, const NameFilter& filter) {
  std::set<u32> files;
  for_each_shown_line(view, rows, filter, [&](const LineRow& line) { files.insert(line.file); });
  return {files.begin(), files.end()};
}

diag::Result<void> add_code_and_sources(CompatView& view, const FileOfModule& files,
                                        const request::SampleDisplay& display, u32 rows,
                                        std::span<const std::string> folders) {
  if (display.disassemble) WPERF_CHECK_OK(disassemble(view, files, display, rows));
  if (!display.annotate) return {};
  for (const u32 file : files_to_read(view, rows, name_filter(display))) {
    view.files[file].text = modules::read_source(view.files[file].path, folders).text;
  }
  return {};
}

}  // namespace wperf::compat
