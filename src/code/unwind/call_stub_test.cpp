// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/call_stub.h"

#include <gtest/gtest.h>

#include <string_view>

namespace wperf::unwind {
namespace {

// Two trampolines with other code around them.
constexpr std::string_view kCode =
    "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
    "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"
    "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"
    "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90";
constexpr usize kFirst = 12, kSize = 11;

std::int64_t offset_at(usize at) {
  const symbols::Bytes code = std::as_bytes(std::span(kCode));
  const FrameRow* const row = call_stub_row(code.subspan(at - kCallStubReach, 2 * kCallStubReach + 1));
  return row != nullptr ? row->cfa_offset : 0;
}

TEST(CallStub, KnowsTheReturnAddressAtEachInstruction) {
  for (const usize begin : {kFirst, kFirst + kSize}) {
    EXPECT_EQ(offset_at(begin), 8);       // sub
    EXPECT_EQ(offset_at(begin + 4), 16);  // call
    EXPECT_EQ(offset_at(begin + 5), 16);  // the byte before a return address
    EXPECT_EQ(offset_at(begin + 6), 16);  // add
    EXPECT_EQ(offset_at(begin + 10), 8);  // ret
  }
}

TEST(CallStub, OtherCodeIsNotStub) {
  EXPECT_EQ(offset_at(kFirst - 1), 0);
  EXPECT_EQ(offset_at(kFirst + 2 * kSize), 0);
  EXPECT_EQ(call_stub_row({}), nullptr);
  EXPECT_EQ(call_stub_row(std::as_bytes(std::span(kCode)).first(2 * kCallStubReach)), nullptr);
}

}  // namespace
}  // namespace wperf::unwind
