// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/go_tables.h"

#include <utility>
#include <vector>

#include "code/symbols/elf/elf_format.h"
#include "code/symbols/go/go_search.h"

namespace wperf::symbols {
namespace {

constexpr u8 kX86Quantum = 1, kArm64Quantum = 4;

}  // namespace

std::optional<GoTable> go_table_of(const ElfFile& file) {
  const ElfSection* found = file.section(".gopclntab");
  if (found == nullptr) found = file.section(".data.rel.ro.gopclntab");
  if (found == nullptr && file.section(".note.go.buildid") == nullptr) return std::nullopt;
  const auto part_of = [&](const ElfSection& section) {
    const bool executable = (section.flags & elf::kFlagExecutable) != 0;
    return GoPart{section.address, section.size, file.stored(section).span(), executable};
  };
  std::vector<GoPart> parts;
  for (const ElfSection& section : file.sections()) {
    if (section.address != 0) parts.push_back(part_of(section));
  }
  parts = with_bytes_once(std::move(parts));
  const GoProgram program = {parts, file.big_endian()};
  if (found != nullptr) return go_table_in(part_of(*found), program);
  // GNU's linkers put the table of a position-independent program among other data.
  const bool is_x86 = file.machine() == elf::kMachineX86_64;
  if (!is_x86 && file.machine() != elf::kMachineArm64) return std::nullopt;
  return find_go_table(program, is_x86 ? kX86Quantum : kArm64Quantum);
}

std::optional<ImageGo> ImageGo::open(const PeFile& image) {
  // Go makes no hybrid images.
  const bool is_arm64 = image.machine() == PeMachine::arm64;
  if (!image.is_64_bit() || (!is_arm64 && image.machine() != PeMachine::x64)) return std::nullopt;
  const u64 base = image.image_base();
  if (base > ~u64{0} - ~u32{0}) return std::nullopt;
  std::vector<GoPart> parts;
  for (const Section& section : image.sections()) {
    parts.push_back({base + section.rva, section.size_in_memory(), image.section_bytes(section), section.executable()});
  }
  parts = with_bytes_once(std::move(parts));
  auto table = find_go_table({parts, false}, is_arm64 ? kArm64Quantum : kX86Quantum);
  if (!table.has_value()) return std::nullopt;
  return ImageGo(*table, base);
}

std::optional<ImageGo::Function> ImageGo::function_at(code::Rva rva) const {
  const auto found = table_.function_at(base_ + rva.value);
  if (!found.has_value()) return std::nullopt;
  // All functions are in the image's sections.
  const auto rva_of = [&](u64 address) { return code::Rva{static_cast<u32>(address - base_)}; };
  return Function{.range = {rva_of(found->begin), rva_of(found->end)}, .name = found->name};
}

void ImageGo::for_each_name(const std::function<void(code::Rva, std::string_view)>& visit) const {
  table_.for_each([&](const GoFunction& one) { visit({static_cast<u32>(one.begin - base_)}, one.name); });
}

}  // namespace wperf::symbols
