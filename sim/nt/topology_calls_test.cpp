// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

class NtTopology : public ::testing::Test {
 protected:
  static constexpr u64 kSizeAt = 0x100, kOut = 0x1000;

  // Four cores, two in a cluster with an L3.
  void SetUp() override {
    for (u32 index = 0; index < 4; ++index) {
      process.state.system->processors.push_back(
          {"neoverse-n1", 0x413fd0c1, 100, 32 << 10, 64 << 10, 512 << 10, 4 << 20, index / 2});
    }
  }
  u64 ask(u32 kind, u64 room = 0x2000) {
    process.put(0x200, kind);
    return process.call("NtQuerySystemInformationEx", {107, kAt + 0x200, 4, kAt + kOut, room, kAt + kSizeAt});
  }
  // The positions of the entries of each kind.
  std::map<u32, std::vector<u64>> entries() {
    std::map<u32, std::vector<u64>> found;
    for (u64 at = 0; at < process.get<u32>(kSizeAt); at += process.get<u32>(kOut + at + 4))
      found[process.get<u32>(kOut + at)].push_back(kOut + at);
    return found;
  }
  TestProcess process;
};

TEST_F(NtTopology, AllKindsAreListedOnce) {
  ASSERT_EQ(ask(0xffff), kSuccess);
  const auto found = entries();
  EXPECT_EQ(found.at(0).size(), 4U) << "cores";
  EXPECT_EQ(found.at(1).size(), 1U) << "nodes";
  EXPECT_EQ(found.at(2).size(), 4U * 3 + 2) << "caches";
  EXPECT_EQ(found.at(3).size(), 1U) << "packages";
  EXPECT_EQ(found.at(4).size(), 1U) << "groups";
  EXPECT_EQ(process.get(found.at(1)[0] + 32), 0xfU);
  EXPECT_EQ(process.get(found.at(3)[0] + 32), 0xfU);
  EXPECT_EQ(process.get<u8>(found.at(4)[0] + 33), 4U) << "active cores of the group";
  EXPECT_EQ(process.get(found.at(4)[0] + 72), 0xfU);
  EXPECT_EQ(process.get(found.at(0)[2] + 32), 4U);
}

TEST_F(NtTopology, CachesHaveTheirSizesAndCores) {
  ASSERT_EQ(ask(2), kSuccess);
  std::vector<u64> large;
  const auto found = entries();
  for (const u64 at : found.at(2)) {
    EXPECT_EQ(process.get<u16>(at + 10), 64U) << "the line";
    EXPECT_EQ(process.get<u16>(at + 38), 1U) << "groups";
    const u64 level_one_bytes = process.get<u32>(at + 16) == 1 ? 32U << 10 : 64U << 10;
    EXPECT_TRUE(process.get<u8>(at + 8) != 1 || process.get<u32>(at + 12) == level_one_bytes);
    if (process.get<u8>(at + 8) == 3) large.push_back(process.get(at + 40));
  }
  EXPECT_EQ(large, (std::vector<u64>{3, 12}));
  EXPECT_EQ(ask(2, 100), kInfoLengthMismatch);
  EXPECT_EQ(process.get<u32>(kSizeAt), 14U * 56);
  EXPECT_EQ(ask(9), kInvalidParameter);
}

TEST_F(NtTopology, TheOlderFormHasTheSame) {
  ASSERT_EQ(process.call("NtQuerySystemInformation", {73, kAt + kOut, 0x2000, kAt + kSizeAt}), kSuccess);
  EXPECT_EQ(process.get<u32>(kSizeAt), (4U + 14 + 2) * 32);
  EXPECT_EQ(process.get(kOut), 1U);
  EXPECT_EQ(process.get<u32>(kOut + 32 + 8), 2U) << "a cache";
  EXPECT_EQ(process.get<u32>(kOut + 32 + 20), 64U << 10);
}

TEST_F(NtTopology, CpuSetsNameTheFirstCoreOfTheirCache) {
  const auto ask_sets = [&](u64 room) {
    return process.call("NtQuerySystemInformationEx", {175, kAt + 0x200, 8, kAt + kOut, room, kAt + kSizeAt});
  };
  EXPECT_EQ(ask_sets(0), kBufferTooSmall);
  EXPECT_EQ(process.get<u32>(kSizeAt), 128U);
  ASSERT_EQ(ask_sets(128), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 96 + 8), 0x103U);
  EXPECT_EQ(process.get<u8>(kOut + 96 + 14), 3U);
  EXPECT_EQ(process.get<u8>(kOut + 96 + 16), 2U);
}

}  // namespace
}  // namespace wperf::sim::nt
