// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary DWARF sections without an ELF file around them, so that every mutation reaches the DWARF reader. The input:
// a byte of options, then sections, each after its length in three bytes (little-endian), in the order of kSections.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "code/symbols/dwarf/dwarf_file.h"

namespace {

using namespace wperf::symbols;
using wperf::u64;

constexpr EndianBytes DwarfSections::* kSections[] = {
    &DwarfSections::info,    &DwarfSections::abbrev,   &DwarfSections::line,    &DwarfSections::str,
    &DwarfSections::ranges,  &DwarfSections::rnglists, &DwarfSections::addr,    &DwarfSections::str_offsets,
    &DwarfSections::aranges, &DwarfSections::line_str, &DwarfSections::cu_index};

DwarfSections take_sections(Bytes& bytes, bool big_endian) {
  DwarfSections out;
  for (const auto section : kSections) {
    if (bytes.size() < 3) break;
    const std::size_t length = std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8 |
                               std::to_integer<std::size_t>(bytes[2]) << 16;
    bytes = bytes.subspan(3);
    const std::size_t held = std::min(length, bytes.size());
    out.*section = EndianBytes(bytes.first(held), big_endian);
    bytes = bytes.subspan(held);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  const bool big_endian = (data[0] & 1) != 0;
  const DwarfSections sections = take_sections(bytes, big_endian);
  const DwarfSections second = take_sections(bytes, big_endian);  // dwz's file, or a split DWARF file
  const auto open_split = [&](const SplitUnit&) { return second; };
  const DwarfFile file = DwarfFile::open(sections, (data[0] & 2) != 0 ? second : DwarfSections{}, open_split);
  std::vector<DwarfFrame> frames;
  for (u64 address = 0x401000; address < 0x401600; address += 3) {
    file.frames_at(address, frames, true);
    for (const DwarfFrame& frame : frames) {
      if (!frame.file.empty() && frame.file.find('\0') != std::string_view::npos) std::abort();
    }
  }
  static_cast<void>(file.damage());
  return 0;
}
