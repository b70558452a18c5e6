// SPDX-License-Identifier: BSD-3-Clause
// Rules that hold for every PeFile, however damaged the file is; for the unit tests and the fuzz target.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "code/symbols/pe/pe_file.h"

namespace wperf::symbols {

inline bool lies_within(std::span<const std::byte> file, const void* begin, size_t size) {
  const auto* at = static_cast<const std::byte*>(begin);
  return size == 0 || (at >= file.data() && at + size <= file.data() + file.size());
}

// Calls every query of the file. Returns null, or the rule that an answer breaks.
inline const char* find_broken_invariant(const PeFile& file, std::span<const std::byte> bytes) {
  if (file.functions().size() > bytes.size() / 8) return "more functions than records fit";
  for (size_t i = 0; i < file.functions().size(); ++i) {
    const code::RvaRange& range = file.functions()[i];
    if (range.begin >= range.end) return "an empty function";
    if (i > 0 && range.begin <= file.functions()[i - 1].begin) return "functions out of order";
    const auto found = file.function_at(range.begin);
    if (!found.has_value() || found->begin != range.begin) return "a function is not found";
    const u32 length = std::min(range.end.value - range.begin.value, 4096u);
    for (u32 at = 0; at < length; at += 4) (void)file.saves_return_address({range.begin.value + at});
    const auto code = file.bytes_at(range.begin, length);
    if (code.size() > length || !lies_within(bytes, code.data(), code.size())) return "code outside of the file";
  }
  for (const Export& entry : file.exports()) {
    if (entry.rva.value >= file.image_size()) return "an export outside of the image";
    if (entry.name.empty() || !lies_within(bytes, entry.name.data(), entry.name.size()))
      return "a name outside of the file";
    const Export* found = file.export_before(entry.rva);
    if (found == nullptr || found->rva != entry.rva) return "an export is not found";
    if (file.furthest_end(entry.rva) < entry.rva) return "code that ends before it begins";
  }
  code::Rva last;
  for (const code::RvaRange& range : file.unlisted_functions()) {
    if (range.begin < last || range.begin >= range.end) return "unlisted functions out of order, or empty";
    if (file.function_at(range.begin).has_value()) return "an unlisted function that is listed";
    last = range.end;
  }
  const std::vector<CoffFunction> coff = file.coff_functions();
  if (coff.size() > bytes.size() / 18) return "more symbols than records fit";
  for (size_t i = 0; i < coff.size(); ++i) {
    const CoffFunction& one = coff[i];
    if (one.range.begin >= one.range.end) return "an empty symbol";
    if (i > 0 && one.range.begin < coff[i - 1].range.end) return "symbols out of order, or overlapping";
    if (one.name.empty() || !lies_within(bytes, one.name.data(), one.name.size()))
      return "a symbol's name outside of the file";
  }
  for (const Section& section : file.sections()) {
    const auto contents = file.section_bytes(section);
    if (contents.size() > section.stored_size() || !lies_within(bytes, contents.data(), contents.size()))
      return "a section outside of the file";
  }
  if (file.codeview().has_value()) {
    const auto path = file.codeview()->path;
    if (!lies_within(bytes, path.data(), path.size())) return "a path outside of the file";
  }
  for (const CodeRange& code : file.code_ranges()) {
    if (code.range.begin >= code.range.end) return "an empty code range";
  }
  return nullptr;
}

}  // namespace wperf::symbols
