// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of statistical profiling: a machine with SPE whose records are numbered, so that drained records
// can be compared with those the hardware chose.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {

inline constexpr u32 kHalf = WPERF_SPE_MIN_BUFFER / 2;
inline constexpr u64 kRecordsOfHalf = kHalf / kFakeRecord;

inline FakeMachine machine_with_spe() {
  FakeMachine machine;
  machine.spe_version = 3;
  machine.pmsidr = kAllOfSpe;
  machine.spe_events = 0xffff'0000'ff00'f8aa;
  return machine;
}

inline std::vector<u8> numbered_record(u64 number) {
  std::vector<u8> record(kFakeRecord, 0x5a);
  std::memcpy(record.data(), &number, sizeof number);
  return record;
}

inline std::vector<u64> numbers_of(const WperfSpeDrainReply& reply) {
  std::vector<u64> numbers;
  EXPECT_EQ(reply.bytes % kFakeRecord, 0u);
  for (u32 at = 0; at + kFakeRecord <= reply.bytes; at += kFakeRecord) {
    u64 number = 0;
    std::memcpy(&number, reply.data + at, sizeof number);
    EXPECT_EQ(reply.data[at + kFakeRecord - 1], 0x5a);
    numbers.push_back(number);
  }
  return numbers;
}

class Profiling : public testing::Test {
 protected:
  explicit Profiling(const FakeMachine& machine = machine_with_spe()) : hal(machine) {
    u64 salt = 0x100;
    for (FakeSpe& spe : hal.spes) {  // values that other users left
      spe.pmsicr = salt++;
      spe.pmsirr = salt++ << 8;
      spe.pmsfcr = 2;
      spe.pmslatfr = salt++;
      spe.pmbptr = salt++ << 12;
      spe.pmblimitr = salt++ << 12;
    }
    found = hal.spes;
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  ~Profiling() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }

  void connect_interrupt() {
    hal.on_profiling_interrupt = [this](u32 number) { return core.on_profiling_interrupt(number); };
  }
  void begin(const WperfSpeRequest& request) {
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  }
  // The hardware chooses `count` operations. Returns the number of records.
  u64 run(u32 number, u64 count) {
    u64 made = 0;
    for (u64 i = 0; i < count; ++i) {
      const u64 next = chosen[number].size();
      if (hal.profile(number, numbered_record(next))) {
        chosen[number].push_back(next);
        ++made;
      }
    }
    return made;
  }
  // Drains all records; the last answer stays in `reply`, the events of all answers in `events`.
  std::vector<u64> drain(u32 number) {
    std::vector<u64> numbers;
    events = 0;
    gaps = 0;
    do {
      EXPECT_EQ(ann.drain(number, reply), WPERF_OK);
      EXPECT_EQ(reply.core, number);
      EXPECT_LE(reply.bytes, u32{WPERF_SPE_MAX_DRAINED});
      EXPECT_LT(reply.buffer_address, u64{WPERF_SPE_MAX_DRAINED}) << "no address of the kernel";
      events |= reply.events;
      gaps += reply.events & WPERF_SPE_GAP;
      for (const u64 record : numbers_of(reply)) {
        numbers.push_back(record);
      }
    } while (reply.more != 0 && reply.bytes != 0);
    EXPECT_EQ(reply.more, 0u);
    return numbers;
  }
  void expect_given_back() {
    EXPECT_TRUE(hal.spes == found);
    EXPECT_EQ(hal.timer_ms, 0u);
  }

  FakeHal hal;
  std::vector<FakeSpe> found;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
  std::map<u32, std::vector<u64>> chosen;  // by core
  WperfSpeDrainReply reply = {};
  u32 events = 0, gaps = 0;
};

}  // namespace wperf::driver
