// SPDX-License-Identifier: BSD-3-Clause
// Global atoms.
#include <gtest/gtest.h>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtAtoms : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kName = kAt + 0x1000, kAnswer = kAt + 0x2000;

  u64 call(std::string_view service, std::string_view name) {
    const std::vector<u16> units = to_utf16(name);
    process.state.space.write(kName, units.data(), units.size() * 2);
    return process.call(service, {kName, units.size() * 2, kAt});
  }
  TestProcess process;
};

TEST_F(NtAtoms, AreCountedByTheirTexts) {
  ASSERT_EQ(call("NtAddAtom", "Clip"), kSuccess);
  const u16 clip = process.get<u16>(0);
  EXPECT_GE(clip, 0xc000);
  ASSERT_EQ(call("NtAddAtom", "other"), kSuccess);
  EXPECT_NE(process.get<u16>(0), clip);
  ASSERT_EQ(call("NtAddAtom", "CLIP"), kSuccess);
  EXPECT_EQ(process.get<u16>(0), clip) << "case does not matter";
  ASSERT_EQ(process.call("NtQueryInformationAtom", {clip, 0, kAnswer, 64, kAt + 8}), kSuccess);
  EXPECT_EQ(process.get<u16>(0x2000), 2) << "its uses";
  EXPECT_EQ(process.get<u16>(0x2004), 8) << "the bytes of its text";
  EXPECT_EQ(process.get<u16>(0x2006), 'C');
  EXPECT_EQ(process.get<u32>(8), 16U);
  EXPECT_EQ(process.call("NtQueryInformationAtom", {clip, 0, kAnswer, 15, 0}), kBufferTooSmall);
  ASSERT_EQ(process.call("NtDeleteAtom", {clip}), kSuccess);
  EXPECT_EQ(call("NtFindAtom", "clip"), kSuccess);
  ASSERT_EQ(process.call("NtDeleteAtom", {clip}), kSuccess);
  EXPECT_EQ(call("NtFindAtom", "clip"), kObjectNameNotFound);
  EXPECT_EQ(process.call("NtDeleteAtom", {clip}), kInvalidHandle);
  ASSERT_EQ(call("NtAddAtom", "third"), kSuccess);
  EXPECT_EQ(process.get<u16>(0), clip) << "the number is free again";
}

TEST_F(NtAtoms, NumbersAreAtomsByThemselves) {
  ASSERT_EQ(call("NtAddAtom", "#123"), kSuccess);
  EXPECT_EQ(process.get<u16>(0), 123);
  ASSERT_EQ(process.call("NtAddAtom", {77, 0, kAt}), kSuccess);
  EXPECT_EQ(process.get<u16>(0), 77);
  ASSERT_EQ(process.call("NtQueryInformationAtom", {77, 0, kAnswer, 64, 0}), kSuccess);
  EXPECT_EQ(process.get<u16>(0x2004), 6) << "#77";
  EXPECT_EQ(process.call("NtDeleteAtom", {77}), kSuccess);
  EXPECT_EQ(process.call("NtQueryInformationAtom", {0xc000, 0, kAnswer, 64, 0}), kInvalidHandle);
  EXPECT_EQ(call("NtAddAtom", ""), kObjectNameInvalid);
  EXPECT_EQ(call("NtAddAtom", std::string(256, 'a')), kInvalidParameter);
  EXPECT_EQ(process.call("NtAddAtom", {0x10, 0, 0x30}), kAccessViolation);
}

}  // namespace
}  // namespace wperf::sim::nt
