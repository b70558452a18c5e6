// SPDX-License-Identifier: BSD-3-Clause
// The two halves of a core's buffer: in any order of events, everything that the hardware wrote is drained once and in
// order, and losses are reported.
#include "driver/core/spe_profiler.h"

#include "driver/core/spe_fixture.h"

namespace wperf::driver {
namespace {

TEST_F(Profiling, DrainBringsWhatIsInTheBuffer) {
  begin(spe_request({1, 2}));
  EXPECT_TRUE(drain(1).empty());
  EXPECT_EQ(run(1, 3), 3u);
  EXPECT_EQ(run(2, 1), 1u);
  EXPECT_EQ(drain(1), chosen[1]) << "the latest one was in flight";
  EXPECT_EQ(events, 0u);
  EXPECT_EQ(reply.written, 3 * kFakeRecord);
  EXPECT_EQ(drain(2), chosen[2]);
  EXPECT_TRUE(drain(1).empty());
  EXPECT_EQ(run(1, 2), 2u);
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_EQ(run(1, 2), 0u);
  EXPECT_EQ(drain(1), (std::vector<u64>{3, 4}));
  EXPECT_EQ(reply.written, 5 * kFakeRecord);
  ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  EXPECT_EQ(run(1, 1), 1u);
  EXPECT_EQ(drain(1), (std::vector<u64>{5}));
  EXPECT_EQ(events, u32{WPERF_SPE_GAP}) << "between stop and start";
  EXPECT_EQ(reply.written, 6 * kFakeRecord) << "grows over stop and start";
}

TEST_F(Profiling, InterruptsLoseNothing) {
  connect_interrupt();
  begin(spe_request({1}));
  std::vector<u64> drained;
  for (u64 round = 0; round < 200; ++round) {
    const u64 some = (round * 41) % (kRecordsOfHalf + 20);
    EXPECT_EQ(run(1, some), some) << round;
    for (const u64 number : drain(1)) {
      drained.push_back(number);
    }
    EXPECT_EQ(gaps, 0u) << round;
  }
  EXPECT_EQ(drained, chosen[1]);
  EXPECT_EQ(reply.full, 0u);
  EXPECT_EQ(reply.stopped_ns, 0u);
}

TEST_F(Profiling, BothHalvesFullStandStillUntilTheDrain) {
  connect_interrupt();
  begin(spe_request({1}));
  EXPECT_EQ(run(1, 1000), 2 * kRecordsOfHalf);
  EXPECT_EQ(hal.spes[1].pmscr, 0u);
  hal.now_ns += 5 * kMs;
  core.on_timer();
  EXPECT_EQ(run(1, 10), 0u) << "the timer finds no room either";
  ASSERT_EQ(ann.drain(1, reply), WPERF_OK);
  EXPECT_EQ(reply.bytes, kHalf);
  EXPECT_EQ(reply.events, u32{WPERF_SPE_BUFFER_FULL});
  EXPECT_EQ(reply.more, 1u);
  EXPECT_EQ(reply.full, 1u);
  EXPECT_EQ(reply.stopped_ns, 5 * kMs);
  hal.now_ns += 7 * kMs;
  EXPECT_EQ(run(1, 10), 10u) << "there is room again";
  ASSERT_EQ(ann.drain(1, reply), WPERF_OK);
  EXPECT_EQ(reply.bytes, kHalf);
  EXPECT_EQ(reply.events, u32{WPERF_SPE_BUFFER_FULL});
  EXPECT_EQ(reply.stopped_ns, 5 * kMs) << "it did not stand still since";
  EXPECT_EQ(drain(1).size(), 10u);
  EXPECT_EQ(events, u32{WPERF_SPE_GAP});
  EXPECT_EQ(reply.full, 1u);
  EXPECT_EQ(run(1, 1000), 2 * kRecordsOfHalf);
  hal.now_ns += 2 * kMs;
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  hal.now_ns += 2 * kMs;
  EXPECT_EQ(drain(1).size(), 2 * kRecordsOfHalf);
  EXPECT_EQ(reply.stopped_ns, 7 * kMs);
  EXPECT_EQ(reply.written, (4 * kRecordsOfHalf + 10) * kFakeRecord);
}

TEST_F(Profiling, WithoutInterruptTheTimerChangesHalves) {
  begin(spe_request({1}));
  EXPECT_EQ(run(1, kRecordsOfHalf / 4), kRecordsOfHalf / 4);
  const u64 before = hal.spes[1].pmblimitr;
  core.on_timer();
  EXPECT_EQ(hal.spes[1].pmblimitr, before) << "there is room for another tick";
  EXPECT_EQ(run(1, kRecordsOfHalf / 2), kRecordsOfHalf / 2);
  core.on_timer();
  EXPECT_NE(hal.spes[1].pmblimitr, before) << "half full, and the other half is free";
  const u64 second = hal.spes[1].pmblimitr;
  EXPECT_EQ(run(1, kRecordsOfHalf - 1), kRecordsOfHalf - 1);
  core.on_timer();
  EXPECT_EQ(hal.spes[1].pmblimitr, second) << "the other half is not free";
  EXPECT_EQ(drain(1).size(), 3 * kRecordsOfHalf / 4);
  EXPECT_EQ(gaps, 0u);
  EXPECT_EQ(drain(1).size(), kRecordsOfHalf - 1) << "a drain that finds nothing changes halves";
  EXPECT_EQ(gaps, 0u);

  EXPECT_EQ(run(1, 1000), kRecordsOfHalf) << "full, and nobody looked";
  core.on_timer();
  EXPECT_EQ(run(1, 5), 5u);
  EXPECT_EQ(drain(1).size(), kRecordsOfHalf);
  EXPECT_EQ(events, u32{WPERF_SPE_BUFFER_FULL});
  EXPECT_EQ(drain(1).size(), 5u);
  EXPECT_EQ(events, u32{WPERF_SPE_GAP}) << "it stood still for part of a tick";
  EXPECT_EQ(reply.full, 0u) << "not because both halves were";
}

// An answer is one contiguous piece of memory, however long the buffer is.
TEST_F(Profiling, AnswersNeverMixHalves) {
  connect_interrupt();
  WperfSpeRequest request = spe_request({1});
  request.buffer_bytes = 2 * 3 * 32768;  // each half takes one answer and a half
  begin(request);
  const u64 half = request.buffer_bytes / 2 / kFakeRecord;
  ASSERT_EQ(run(1, half + 7), half + 7);
  const u32 expected[] = {65536, 32768, 7 * kFakeRecord};
  std::vector<u64> drained;
  u64 next_address = 0;
  for (u32 i = 0; i < 3; ++i) {
    ASSERT_EQ(ann.drain(1, reply), WPERF_OK);
    EXPECT_EQ(reply.bytes, expected[i]);
    EXPECT_TRUE(i != 1 || reply.buffer_address == next_address);
    next_address = (reply.buffer_address + reply.bytes) % 65536;
    for (const u64 number : numbers_of(reply)) {
      drained.push_back(number);
    }
  }
  EXPECT_EQ(drained, chosen[1]);
}

// Records arrive and the interrupt comes at any point of the driver's work.
TEST_F(Profiling, InterruptsAtEveryRegisterAccess) {
  for (const u32 burst : {1u, 40u, 126u, 127u, 128u, 129u, 200u}) {
    chosen.clear();
    connect_interrupt();
    u32 accesses = 0;
    bool under_way = false;
    const auto happen = [&](Register reg) {
      if (under_way || reg < Register::pmscr || reg > Register::pmbsr || ++accesses % 3 != 0) {
        return;
      }
      under_way = true;
      run(1, burst);
      under_way = false;
    };
    ASSERT_EQ(ann.configure(spe_request({1})), WPERF_OK);
    hal.before_read = happen;
    hal.before_write = happen;
    ASSERT_EQ(ann.start_profiling(), WPERF_OK);
    std::vector<u64> drained;
    const auto take_all = [&] {
      for (const u64 number : drain(1)) {
        drained.push_back(number);
      }
    };
    for (u32 round = 0; round < 60; ++round) {
      run(1, round);
      core.on_timer();
      if (round % 2 == 0) {
        ASSERT_EQ(ann.drain(1, reply), WPERF_OK);
        for (const u64 number : numbers_of(reply)) {
          drained.push_back(number);
        }
      }
      if (round % 20 == 19) {
        ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
        take_all();
        ASSERT_EQ(drained, chosen[1]) << burst << " " << round;
        EXPECT_TRUE(hal.spes == found);
        ASSERT_EQ(ann.start_profiling(), WPERF_OK);
      }
    }
    ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
    hal.before_read = nullptr;
    hal.before_write = nullptr;
    take_all();
    EXPECT_EQ(drained, chosen[1]) << burst;
    EXPECT_EQ(reply.written, chosen[1].size() * kFakeRecord);
    EXPECT_TRUE(hal.spes == found);
  }
}

TEST_F(Profiling, FaultsEndTheirCore) {
  const u64 service = kPmbsrService;
  const u64 faults[] = {service | (u64{0x24} << 26),
                        service | (u64{0x25} << 26),
                        service | (u64{0x1e} << 26),
                        service | (u64{0x1f} << 26),
                        service | 2,
                        service | kPmbsrExternalAbort | 1};
  for (const u64 fault : faults) {
    for (const bool interrupts : {true, false}) {
      hal.on_profiling_interrupt = nullptr;
      if (interrupts) {
        connect_interrupt();
      }
      begin(spe_request({1, 2}));
      chosen.clear();
      ASSERT_EQ(run(1, 4), 4u);
      hal.disturb_profiling(1, fault);
      core.on_timer();
      EXPECT_EQ(run(1, 10), 0u) << "ended";
      EXPECT_EQ(hal.spes[1].pmblimitr & 1, 0u);
      for (u32 tick = 0; tick < 5; ++tick) {
        core.on_timer();
      }
      EXPECT_EQ(drain(1), chosen[1]) << "what had been written stays";
      EXPECT_EQ(events & ~u32{WPERF_SPE_DATA_LOSS},
                u32{WPERF_SPE_FAULT} | ((fault & kPmbsrExternalAbort) != 0 ? u32{WPERF_SPE_EXTERNAL_ABORT} : 0));
      EXPECT_EQ(reply.status & ~u64{kPmbsrDataLoss}, fault);
      EXPECT_TRUE(drain(1).empty());
      EXPECT_EQ(events, 0u) << "told once";
      EXPECT_EQ(reply.status & ~u64{kPmbsrDataLoss}, fault);
      EXPECT_EQ(run(2, 3), 3u) << "the other core goes on";
      EXPECT_EQ(drain(2), chosen[2]);
      ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
      expect_given_back();
    }
  }
}

TEST_F(Profiling, LossesAndCollisionsAreTold) {
  connect_interrupt();
  begin(spe_request({1}));
  ASSERT_EQ(run(1, 2), 2u);
  hal.disturb_profiling(1, kPmbsrCollision);
  EXPECT_EQ(drain(1).size(), 2u);
  EXPECT_EQ(events, u32{WPERF_SPE_COLLISION});
  EXPECT_EQ(reply.collisions, 1u);
  hal.disturb_profiling(1, kPmbsrDataLoss);
  EXPECT_TRUE(drain(1).empty());
  EXPECT_EQ(events, u32{WPERF_SPE_DATA_LOSS});
  EXPECT_EQ(reply.data_losses, 1u);
  ASSERT_EQ(run(1, 2), 2u);
  hal.disturb_profiling(1, kPmbsrService | kPmbsrDataLoss);  // stopped, the buffer not filled
  ASSERT_EQ(run(1, 1), 1u);
  EXPECT_EQ(drain(1).size(), 2u);
  EXPECT_EQ(events, u32{WPERF_SPE_GAP} | u32{WPERF_SPE_DATA_LOSS}) << "of the loss before, and this one";
  EXPECT_EQ(drain(1).size(), 1u);
  EXPECT_EQ(events, u32{WPERF_SPE_GAP});
  EXPECT_EQ(reply.data_losses, 2u);
  EXPECT_EQ(reply.collisions, 1u);
  EXPECT_EQ(reply.status, 0u) << "no fault";
}

TEST_F(Profiling, APointerOutsideTheBufferIsAFault) {
  for (const bool below : {true, false}) {
    begin(spe_request({1}));
    ASSERT_EQ(run(1, 1), 1u);
    hal.spes[1].land();
    hal.spes[1].pmbptr = below ? hal.spes[1].pmbptr - 4 * kFakeRecord : hal.spes[1].pmbptr + kHalf;
    core.on_timer();
    EXPECT_TRUE(drain(1).empty()) << "nobody knows what is in it";
    EXPECT_EQ(events, u32{WPERF_SPE_FAULT});
    ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
    EXPECT_TRUE(hal.spes == found);
  }
}

TEST_F(Profiling, CoreRestartsAfterSleep) {
  begin(spe_request({1}));
  ASSERT_EQ(run(1, 3), 3u);
  hal.spes[1] = {};
  hal.spes[1].pmbptr = 0x1234'5000;
  core.on_timer();
  EXPECT_TRUE(drain(1).empty());
  EXPECT_EQ(events, u32{WPERF_SPE_DATA_LOSS});
  EXPECT_EQ(hal.spes[1].pmsirr, 4096u) << "all registers are set again";
  chosen.clear();
  ASSERT_EQ(run(1, 3), 3u);
  EXPECT_EQ(drain(1), chosen[1]);
  EXPECT_EQ(events, u32{WPERF_SPE_GAP});
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_TRUE(hal.spes == found);
}

TEST_F(Profiling, UnitTakenByAnotherOwnerIsLeftAlone) {
  begin(spe_request({1}));
  FakeSpe taken = hal.spes[1];
  taken.pmbptr = 0x7000'0000;
  taken.pmblimitr = 0x7000'1001;
  hal.spes[1] = taken;
  core.on_timer();
  EXPECT_FALSE(core.on_profiling_interrupt(1));
  EXPECT_TRUE(drain(1).empty());
  EXPECT_EQ(events, u32{WPERF_SPE_FAULT});
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_TRUE(hal.spes[1] == taken);
  hal.spes[1] = found[1];
}

TEST_F(Profiling, UnitTakenWhileStandingStillIsLeftAlone) {
  connect_interrupt();
  for (const bool by_drain : {false, true}) {
    begin(spe_request({1}));
    ASSERT_EQ(run(1, 1000), 2 * kRecordsOfHalf);
    FakeSpe taken = hal.spes[1];
    taken.pmbptr = 0x7000'0000;
    taken.pmblimitr = 0x7000'1001;
    taken.pmsirr = 0x10'0000;
    taken.pmscr = 3;
    hal.spes[1] = taken;
    hal.now_ns += 3 * kMs;
    if (!by_drain) {
      core.on_timer();
    }
    EXPECT_EQ(drain(1).size(), 2 * kRecordsOfHalf);
    EXPECT_EQ(events & WPERF_SPE_FAULT, u32{WPERF_SPE_FAULT});
    EXPECT_EQ(reply.stopped_ns, 3 * kMs);
    core.on_timer();
    EXPECT_TRUE(hal.spes[1] == taken);
    ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
    EXPECT_TRUE(hal.spes[1] == taken);
    hal.spes[1] = found[1];
    chosen.clear();
  }
}

TEST_F(Profiling, CoreThatSleepsWhileStandingStillIsSetUpAgain) {
  connect_interrupt();
  WperfSpeRequest request = spe_request({1});
  request.flags = WPERF_SPE_LOADS;
  request.min_latency = 100;
  begin(request);
  const FakeSpe set = hal.spes[1];
  ASSERT_EQ(run(1, 1000), 2 * kRecordsOfHalf);
  hal.spes[1] = {};
  ASSERT_EQ(ann.drain(1, reply), WPERF_OK);
  EXPECT_EQ(hal.spes[1].pmsirr, set.pmsirr);
  EXPECT_EQ(hal.spes[1].pmsfcr, set.pmsfcr);
  EXPECT_EQ(hal.spes[1].pmslatfr, set.pmslatfr);
  EXPECT_EQ(run(1, 10), 10u);
  EXPECT_EQ(drain(1).size(), kRecordsOfHalf);
  EXPECT_EQ(drain(1).size(), 10u);
  EXPECT_EQ(gaps, 1u);
  EXPECT_EQ(reply.data_losses, 1u);
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  expect_given_back();
}

TEST_F(Profiling, ACoreThatIsAwayKeepsItsRecords) {
  begin(spe_request({1, 2}));
  ASSERT_EQ(run(1, 3), 3u);
  hal.offline = {1};
  EXPECT_EQ(ann.drain(1, reply), WPERF_HARDWARE_FAILED);
  core.on_timer();
  hal.offline = {};
  EXPECT_EQ(drain(1), chosen[1]);
}

}  // namespace
}  // namespace wperf::driver
