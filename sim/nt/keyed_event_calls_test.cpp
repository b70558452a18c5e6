// SPDX-License-Identifier: BSD-3-Clause
// Keyed events, through which two threads meet.
#include <gtest/gtest.h>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtKeyedEvents : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kKey = 0x7000;

  void SetUp() override {
    process.add_thread();
    process.add_thread();
  }
  u64 wait(u64 event, u64 key, usize thread) { return process.call("NtWaitForKeyedEvent", {event, key, 0, 0}, thread); }
  u64 release(u64 event, u64 key, usize thread) {
    return process.call("NtReleaseKeyedEvent", {event, key, 0, 0}, thread);
  }
  bool waits(usize thread) const { return process.state.threads[thread]->wait.kind == Wait::Kind::meeting; }
  TestProcess process;
};

TEST_F(NtKeyedEvents, TwoThreadsMeetInEitherOrder) {
  EXPECT_EQ(wait(0, kKey, 0), kNoAnswer);
  EXPECT_EQ(wait(0, kKey, 1), kNoAnswer);
  EXPECT_EQ(release(0, kKey + 8, 2), kNoAnswer) << "nobody waits for this key";
  process.state.threads[2]->wait = {};
  EXPECT_EQ(release(0, kKey, 2), kSuccess);
  EXPECT_FALSE(waits(0)) << "it has waited longest";
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kSuccess);
  EXPECT_TRUE(waits(1));
  EXPECT_EQ(release(0, kKey, 2), kSuccess);
  EXPECT_FALSE(waits(1));
  EXPECT_EQ(release(0, kKey, 2), kNoAnswer) << "a release waits, too";
  EXPECT_EQ(wait(0, kKey, 0), kSuccess);
  EXPECT_FALSE(waits(2));
}

TEST_F(NtKeyedEvents, EachEventHasItsOwnKeys) {
  ASSERT_EQ(process.call("NtCreateKeyedEvent", {kAt, 0, process.named(0x1000, "\\BaseNamedObjects\\keys"), 0}),
            kSuccess);
  const u64 event = process.get(0);
  ASSERT_EQ(process.call("NtOpenKeyedEvent", {kAt, 0, process.named(0x1000, "\\BaseNamedObjects\\keys")}), kSuccess);
  const u64 same = process.get(0);
  EXPECT_EQ(wait(event, kKey, 0), kNoAnswer);
  EXPECT_EQ(release(0, kKey, 1), kNoAnswer);
  EXPECT_EQ(release(same, kKey, 2), kSuccess);
  EXPECT_FALSE(waits(0));
  EXPECT_TRUE(waits(1));
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, 0}), kObjectTypeMismatch);
}

TEST_F(NtKeyedEvents, AMeetingHasATimeoutAndAnEvenKey) {
  process.put(0x10, std::int64_t{-100});
  EXPECT_EQ(process.call("NtWaitForKeyedEvent", {0, kKey, 0, kAt + 0x10}), kNoAnswer);
  EXPECT_EQ(process.state.threads[0]->wait.wake_ns, 10'000U);
  process.now_ns = 10'000;
  EXPECT_EQ(release(0, kKey, 1), kNoAnswer) << "the other wait is over";
  process.put(0x10, std::int64_t{0});
  EXPECT_EQ(process.call("NtReleaseKeyedEvent", {0, kKey + 0x10, 0, kAt + 0x10}, 2), kTimeout);
  EXPECT_EQ(wait(0, kKey + 1, 2), 0xc00000efU);
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 0, 0}), kSuccess);
  EXPECT_EQ(wait(process.get(0), kKey, 2), kObjectTypeMismatch);
  EXPECT_EQ(wait(0x7770, kKey, 2), kInvalidHandle);
}

}  // namespace
}  // namespace wperf::sim::nt
