// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/call_stub.h"

#include <algorithm>
#include <array>

#include "code/unwind/unwinder.h"

namespace wperf::unwind {
namespace {

// sub $8, %rsp; call *%rcx; add $8, %rsp; ret
constexpr std::array<u8, 11> kTrampoline = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};
constexpr usize kAfterSub = 4, kReturn = 10;
static_assert(kTrampoline.size() == kCallStubReach + 1);

// `pushed`: the number of bytes between the stack pointer and the return address.
FrameRow row_with(std::int64_t pushed) {
  FrameRow row;
  row.cfa_register = stack_pointer(Architecture::x86_64);
  row.cfa_offset = pushed + 8;
  row.return_register = instruction_pointer(Architecture::x86_64);
  row.rules.push_back({.number = row.return_register, .rule = Rule::at_cfa, .value = -8, .expression = {}});
  return row;
}

}  // namespace

const FrameRow* call_stub_row(symbols::Bytes code) {
  static const FrameRow kOutside = row_with(0), kInside = row_with(8);
  if (code.size() < 2 * kCallStubReach + 1) return nullptr;
  // `at`: the offset of the address in the trampoline.
  for (usize at = 0; at < kTrampoline.size(); ++at) {
    const auto there = code.subspan(kCallStubReach - at, kTrampoline.size());
    const auto is_same = [](std::byte byte, u8 wanted) { return std::to_integer<u8>(byte) == wanted; };
    if (std::ranges::equal(there, kTrampoline, is_same)) return at < kAfterSub || at == kReturn ? &kOutside : &kInside;
  }
  return nullptr;
}

}  // namespace wperf::unwind
