// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/lock_holders.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::waits {
namespace {

class LockHoldersTest : public testing::Test {
 protected:
  LockHoldersTest() {
    holders_.add(1, {.time = 300, .holder = 8, .place = 80});
    holders_.add(1, {.time = 100, .holder = 7, .place = 70});
    holders_.add(1, {.time = 250, .holder = 7, .place = 71});
    holders_.add(2, {.time = 120, .holder = 9, .place = 90});
    holders_.sort();
  }
  std::string during(u32 process, u64 begin, u64 end) const {
    std::string out;
    holders_.during(process, begin, end, [&](const LockHolders::Release& release, u64 ns) {
      out += std::to_string(release.holder) + "@" + std::to_string(release.place) + ":" + std::to_string(ns) + " ";
    });
    return out;
  }
  LockHolders holders_;
};

TEST_F(LockHoldersTest, HeldTheLockUntilTheyWokeAnother) {
  EXPECT_EQ(during(1, 40, 100), "7@70:60 ");
  EXPECT_EQ(during(1, 100, 260), "7@71:150 8@80:10 ");
  EXPECT_EQ(during(1, 40, 120), "7@70:60 7@71:20 ");
  EXPECT_EQ(during(2, 40, 100), "9@90:60 ");
}

TEST_F(LockHoldersTest, AreUnknownAfterTheLastRelease) {
  EXPECT_EQ(during(1, 290, 400), "8@80:10 ");
  EXPECT_EQ(during(1, 300, 400), "");
  EXPECT_EQ(during(3, 0, 400), "");
  EXPECT_EQ(during(1, 50, 50), "");
}

}  // namespace
}  // namespace wperf::waits
