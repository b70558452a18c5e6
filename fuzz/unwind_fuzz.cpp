// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary call frame information and copies of stacks, without files around them, so that every mutation reaches the
// reader. The input: a byte of options (1: .debug_frame, 2: AArch64, 4: the stack is whole), then .eh_frame_hdr, the
// frames and the stack, each after its length in two bytes (little-endian). The stack begins with the registers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "code/unwind/frame_table.h"
#include "code/unwind/unwinder.h"

namespace {

using namespace wperf::unwind;
using wperf::u64;
using wperf::u8;
using wperf::symbols::Bytes;
using wperf::symbols::EndianBytes;

Bytes take_part(Bytes& bytes) {
  if (bytes.size() < 2) return {};
  const std::size_t length = std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8;
  bytes = bytes.subspan(2);
  const Bytes part = bytes.first(std::min(length, bytes.size()));
  bytes = bytes.subspan(part.size());
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const u8 options = data[0];
  Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  FrameSections sections;
  sections.search_address = 0x3000;
  sections.search = EndianBytes(take_part(bytes), false);
  sections.is_debug_frame = (options & 1) != 0;
  sections.address = sections.is_debug_frame ? 0 : 0x4000;
  sections.frames = EndianBytes(take_part(bytes), false);
  const Architecture architecture = (options & 2) != 0 ? Architecture::aarch64 : Architecture::x86_64;
  const EndianBytes stack(take_part(bytes), false);
  FrameTable table(sections);
  Registers registers;
  constexpr u64 kStack = 0x7000;
  for (u8 number = 0; number < Registers::kCount; ++number) {
    registers.set(number, stack.at_or_zero<u64>(u64{number} * 8) % 0x8000);
  }
  registers.set(stack_pointer(architecture), kStack);
  constexpr wperf::usize kMostFrames = 200;
  for (u64 pc = 0x1000; pc < 0x1400; pc += 0x55) {
    registers.set(instruction_pointer(architecture), pc);
    const auto find = [&](u64 address) {
      return CodeAt{.row = table.row_at(address), .moved_by = 0, .is_code = address < 0x8000};
    };
    std::vector<u64> callers;
    const StackCopy copy{.address = kStack, .bytes = stack.span(), .is_whole = (options & 4) != 0};
    wperf::usize visited = 0;
    const VisitFrame visit = [&](u64, const Registers&) { ++visited; };
    unwind({architecture, registers}, copy, find, {.most_frames = kMostFrames, .visit = &visit}, callers);
    if (callers.size() > kMostFrames || visited > kMostFrames + 1) std::abort();
  }
  return 0;
}
