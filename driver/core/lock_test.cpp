// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/lock.h"

#include <gtest/gtest.h>

#include "abi/wire.h"

namespace wperf::driver {
namespace {

constexpr ClientId kNobody = 0;
constexpr ClientId kAnn = 11;
constexpr ClientId kBob = 22;

struct Case {
  const char* what;
  ClientId holder, preempted;  // the state before; kNobody without a client
  u32 action;                  // the action of kAnn
  WperfStatus status;
  ClientId holder_after, preempted_after;
};

// Every action of Ann against every state that matters to her.
const Case kCases[] = {
    {"acquire free", kNobody, kNobody, WPERF_LOCK_ACQUIRE, WPERF_OK, kAnn, kNobody},
    {"acquire mine", kAnn, kNobody, WPERF_LOCK_ACQUIRE, WPERF_OK, kAnn, kNobody},
    {"acquire taken", kBob, kNobody, WPERF_LOCK_ACQUIRE, WPERF_LOCK_BUSY, kBob, kNobody},
    {"acquire free after preemption", kNobody, kAnn, WPERF_LOCK_ACQUIRE, WPERF_OK, kAnn, kNobody},
    {"acquire from the preemptor", kBob, kAnn, WPERF_LOCK_ACQUIRE, WPERF_LOCK_BUSY, kBob, kAnn},
    {"force free", kNobody, kNobody, WPERF_LOCK_FORCE, WPERF_OK, kAnn, kNobody},
    {"force mine", kAnn, kNobody, WPERF_LOCK_FORCE, WPERF_OK, kAnn, kNobody},
    {"force taken", kBob, kNobody, WPERF_LOCK_FORCE, WPERF_OK, kAnn, kBob},
    {"force back", kBob, kAnn, WPERF_LOCK_FORCE, WPERF_OK, kAnn, kBob},
    {"release free", kNobody, kNobody, WPERF_LOCK_RELEASE, WPERF_LOCK_NEEDED, kNobody, kNobody},
    {"release mine", kAnn, kBob, WPERF_LOCK_RELEASE, WPERF_OK, kNobody, kBob},
    {"release taken", kBob, kNobody, WPERF_LOCK_RELEASE, WPERF_LOCK_NEEDED, kBob, kNobody},
    {"release after preemption", kBob, kAnn, WPERF_LOCK_RELEASE, WPERF_LOCK_LOST, kBob, kAnn},
    {"no action", kAnn, kBob, 0, WPERF_BAD_ARGUMENT, kAnn, kBob},
    {"unknown action", kBob, kNobody, 4, WPERF_BAD_ARGUMENT, kBob, kNobody},
};

TEST(Lock, EveryActionInEveryState) {
  for (const Case& test : kCases) {
    LockState lock;
    lock.holder = test.holder;
    lock.preempted[0] = test.preempted;
    EXPECT_EQ(change_lock(lock, kAnn, test.action), test.status) << test.what;
    EXPECT_EQ(lock.holder, test.holder_after) << test.what;
    EXPECT_EQ(lock.preempted[0], test.preempted_after) << test.what;
    EXPECT_EQ(lock.preempted[1], kNobody) << test.what;
  }
}

TEST(Lock, RequestsReportLockNeededOrLost) {
  LockState lock;
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_LOCK_NEEDED);
  ASSERT_EQ(change_lock(lock, kAnn, WPERF_LOCK_ACQUIRE), WPERF_OK);
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_OK);
  EXPECT_EQ(check_lock(lock, kBob), WPERF_LOCK_NEEDED);
  ASSERT_EQ(change_lock(lock, kBob, WPERF_LOCK_FORCE), WPERF_OK);
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_LOCK_LOST);
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_LOCK_LOST) << "told until she acquires again";
  ASSERT_EQ(change_lock(lock, kBob, WPERF_LOCK_RELEASE), WPERF_OK);
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_LOCK_LOST) << "the preemptor's leaving does not give it back";
  ASSERT_EQ(change_lock(lock, kAnn, WPERF_LOCK_ACQUIRE), WPERF_OK);
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_OK);
}

TEST(Lock, DepartedClientsLeaveNothingBehind) {
  LockState lock;
  ASSERT_EQ(change_lock(lock, kAnn, WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(change_lock(lock, kBob, WPERF_LOCK_FORCE), WPERF_OK);
  forget_client(lock, kAnn);
  EXPECT_EQ(lock.holder, kBob) << "a departed victim does not take the lock along";
  EXPECT_EQ(check_lock(lock, kAnn), WPERF_LOCK_NEEDED);
  forget_client(lock, kBob);
  EXPECT_EQ(lock.holder, kNobody);
}

TEST(Lock, OldestForcedReleaseIsForgottenFirst) {
  LockState lock;
  for (ClientId client = 1; client <= kRememberedPreemptions + 2; ++client) {
    ASSERT_EQ(change_lock(lock, client, WPERF_LOCK_FORCE), WPERF_OK);
  }
  EXPECT_EQ(check_lock(lock, 1), WPERF_LOCK_NEEDED);
  for (ClientId client = 2; client <= kRememberedPreemptions + 1; ++client) {
    EXPECT_EQ(check_lock(lock, client), WPERF_LOCK_LOST) << client;
  }
}

TEST(Lock, SecondForcedReleaseIsNotRecordedAgain) {
  LockState lock;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(change_lock(lock, kAnn, WPERF_LOCK_FORCE), WPERF_OK);
    ASSERT_EQ(change_lock(lock, kBob, WPERF_LOCK_FORCE), WPERF_OK);
  }
  EXPECT_EQ(lock.preempted[0], kAnn);
  EXPECT_EQ(lock.preempted[1], kNobody);
}

}  // namespace
}  // namespace wperf::driver
