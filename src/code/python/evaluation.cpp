// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/evaluation.h"

#include <map>
#include <optional>

#include "code/symbols/elf/elf_format.h"
#include "code/symbols/elf/elf_symbols.h"
#include "code/unwind/frame_table.h"

namespace wperf::python {
namespace {

using symbols::EndianBytes;

constexpr u64 kMostOfPart = u64{1} << 20;  // size limit of a part

// Sign-extends a number of `bits` bits.
u64 extended(u64 number, u32 bits) {
  const u64 sign = u64{1} << (bits - 1);
  return (number ^ sign) - sign;
}

// Visits bytes that look like a jump; a few of them are parts of other instructions.
template <class Visit>
void for_each_x64_jump(EndianBytes code, u64 address, const Visit& visit) {
  constexpr u8 kJump = 0xe9, kTwoBytes = 0x0f, kConditional = 0x80;
  for (u64 at = 0; at + 5 <= code.size(); ++at) {
    const u8 first = code.at_or_zero<u8>(at);
    const bool is_conditional = first == kTwoBytes && (code.at_or_zero<u8>(at + 1) & 0xf0) == kConditional;
    if (first != kJump && !is_conditional) continue;
    const u64 operand = at + (is_conditional ? 2 : 1);
    visit(address + operand + 4 + extended(code.at_or_zero<u32>(operand), 32));
  }
}

template <class Visit>
void for_each_arm64_jump(EndianBytes code, u64 address, const Visit& visit) {
  for (u64 at = 0; at + 4 <= code.size(); at += 4) {
    const u32 word = code.at_or_zero<u32>(at);
    if ((word & 0xfc000000) == 0x14000000) visit(address + at + extended(word & 0x3ffffff, 26) * 4);
    const bool tests_nineteen = (word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000;
    if (tests_nineteen) visit(address + at + extended(word >> 5 & 0x7ffff, 19) * 4);
    if ((word & 0x7e000000) == 0x36000000) visit(address + at + extended(word >> 5 & 0x3fff, 14) * 4);
  }
}

template <class Visit>
void for_each_jump(const symbols::ElfFile& file, const code::AddressRange& range, const Visit& visit) {
  if (range.end - range.begin > kMostOfPart) return;
  for (const symbols::ElfSection& section : file.sections()) {
    if (!section.contains(range.begin)) continue;
    const EndianBytes code = file.stored(section).slice(range.begin - section.address, range.end - range.begin);
    file.machine() == symbols::elf::kMachineX86_64 ? for_each_x64_jump(code, range.begin, visit)
                                                   : for_each_arm64_jump(code, range.begin, visit);
    return;
  }
}

std::optional<code::AddressRange> named_part(const symbols::ElfFile& file) {
  const auto functions = symbols::ElfSymbols::read(&file, nullptr, nullptr);
  std::optional<code::AddressRange> found;
  for (const symbols::ElfSymbol& one : functions.all()) {
    // In a library, the function's stub has the same name.
    const bool is_stub = one.table == symbols::ElfSymbolTable::plt;
    if (one.name == "_PyEval_EvalFrameDefault" && !is_stub && one.begin < one.end) found = {one.begin, one.end};
  }
  return found;
}

}  // namespace

std::vector<code::AddressRange> evaluation_parts(const symbols::ElfFile& file) {
  const auto named = named_part(file);
  if (!named.has_value()) return {};
  std::vector<code::AddressRange> parts = {*named};
  if (file.machine() != symbols::elf::kMachineX86_64 && file.machine() != symbols::elf::kMachineArm64) return parts;
  unwind::FrameTable table(unwind::eh_frame_of(file));
  // Code that jumps enter in the middle (calls enter a function only at its start), ordered by begin.
  std::map<u64, code::AddressRange> others;
  for_each_jump(file, *named, [&](u64 target) {
    if (named->contains(target)) return;
    const auto entry = table.function_at(target);
    if (entry.has_value() && entry->begin != target) others[entry->begin] = {entry->begin, entry->end};
  });
  for (const auto& [begin, other] : others) {
    bool returns = false;
    for_each_jump(file, other, [&](u64 target) { returns |= target != named->begin && named->contains(target); });
    if (returns) parts.push_back(other);
  }
  return parts;
}

}  // namespace wperf::python
