// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/code_and_sources.h"

#include "code/modules/code_text.h"
#include "code/modules/source_files.h"
#include "model/request/sampling_options.h"
#include "views/compat/compat_view.h"

namespace wperf::compat {
namespace {

std::optional<modules::CodeBytes> code_of(const modules::CodeFile* file, const CodeBlock& block) {
  const std::optional<u64> begin =
      file != nullptr && file->has_symbols() ? file->address_of_offset(block.begin) : std::nullopt;
  return begin.has_value() ? file->code(*begin, *begin + (block.end - block.begin)) : std::nullopt;
}

diag::Result<void> disassemble(CompatView& view, const FileOfModule& files, const request::SampleDisplay& display) {
  view.code = code_to_disassemble(view, display.rows, name_filter(display));
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

diag::Result<void> add_code_and_sources(CompatView& view, const FileOfModule& files,
                                        const request::SampleDisplay& display, std::span<const std::string> folders) {
  if (display.disassemble) WPERF_CHECK_OK(disassemble(view, files, display));
  if (!display.annotate) return {};
  for (const u32 file : files_to_read(view, display.rows, name_filter(display))) {
    view.files[file].text = modules::read_source(view.files[file].path, folders).text;
  }
  return {};
}

}  // namespace wperf::compat
