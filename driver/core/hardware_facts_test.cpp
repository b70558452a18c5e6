// SPDX-License-Identifier: BSD-3-Clause
// The answers about the machine.
#include "driver/core/hardware_facts.h"

#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

struct Asked {
  explicit Asked(const FakeMachine& machine) : hal(machine) {}
  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
  WperfHardwareReply reply = {};

  WperfStatus ask() {
    EXPECT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
    return ann.hardware(reply);
  }
  ~Asked() {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
};

TEST(HardwareFacts, PlainMachineIsDescribed) {
  Asked asked({});
  ASSERT_EQ(asked.ask(), WPERF_OK);
  const WperfHardwareReply& reply = asked.reply;
  EXPECT_EQ(reply.midr, 0x413f'd0c1u);
  EXPECT_EQ(reply.core_count, 4u);
  EXPECT_EQ(reply.counters_total, 6u);
  EXPECT_EQ(reply.counters_free, 6u);
  EXPECT_EQ(reply.cycle_counters, 1u);
  EXPECT_EQ(reply.cluster_count, 2u);
  EXPECT_EQ(reply.cluster_size, 2u);
  EXPECT_EQ(reply.dsu_counters, 4u);
  EXPECT_EQ(reply.dmc_channels, 0u);
  EXPECT_EQ(reply.dmc_clk_counters, 0u);
  EXPECT_EQ(reply.period_min_ms, 10u);
  EXPECT_EQ(reply.period_max_ms, 100u);
  EXPECT_EQ(reply.period_default_ms, 100u);
  for (u32 i = 0; i < 32; ++i) {
    EXPECT_EQ(reply.counter_map[i], i < 6 ? i : 0xff);
  }
  EXPECT_STREQ(reply.device_id, "core.stat=core;core.sample=core;dsu.stat=dsu");
}

TEST(HardwareFacts, TakenCountersAreLeftOut) {
  FakeMachine machine;
  machine.reserved_mask = 0xffff'fff5;  // counters 1 and 3 belong to others; bits for counters that do not exist are
                                        // ignored
  Asked asked(machine);
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.counters_total, 6u);
  EXPECT_EQ(asked.reply.counters_free, 4u);
  const u8 expected[] = {0, 2, 4, 5, 0xff};
  EXPECT_EQ(std::memcmp(asked.reply.counter_map, expected, sizeof expected), 0);
}

TEST(HardwareFacts, HybridMachinesCountWithTheLeast) {
  Asked asked({});
  asked.hal.cores[2].pmcr = u64{4} << 11;
  asked.hal.clusters[1].pmcr = u64{3} << 11;
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.counters_total, 4u);
  EXPECT_EQ(asked.reply.counters_free, 4u);
  EXPECT_EQ(asked.reply.dsu_counters, 3u);
  WperfCoreRequest request = {};
  WperfCoreReply core = {};
  ASSERT_EQ(asked.ann.ask(WPERF_CODE_CORE, request, core), WPERF_OK);
  EXPECT_EQ(core.counters_total, 6u) << "what this core has";
  EXPECT_EQ(core.counters_free, 4u) << "what is used of it";
  request.core = 4;
  EXPECT_EQ(asked.ann.ask(WPERF_CODE_CORE, request, core), WPERF_BAD_ARGUMENT);
}

TEST(HardwareFacts, NoDsuNoDmc) {
  FakeMachine machine;
  machine.cluster_count = 0;
  Asked asked(machine);
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.cluster_count, 0u);
  EXPECT_EQ(asked.reply.dsu_counters, 0u);
  EXPECT_STREQ(asked.reply.device_id, "core.stat=core;core.sample=core");
  WperfCoreReply core = {};
  ASSERT_EQ(asked.ann.ask(WPERF_CODE_CORE, WperfCoreRequest{}, core), WPERF_OK);
  EXPECT_EQ(core.cluster, 0xffff'ffffu);
}

TEST(HardwareFacts, CoresWithoutPmuAreNotTouched) {
  for (const u32 version : {0u, 0xfu}) {
    FakeMachine machine;
    machine.pmu_version = version;
    Asked asked(machine);  // the fake notes any read of a PMU register
    ASSERT_EQ(asked.ask(), WPERF_OK);
    EXPECT_EQ(asked.reply.counters_total, 0u);
    EXPECT_EQ(asked.reply.cycle_counters, 0u);
    EXPECT_EQ(asked.ann.configure(count_request({0}, {})), WPERF_NOT_SUPPORTED);
  }
}

// A hypervisor reports PMUVer but traps the registers, on all cores or on one. Then counting is impossible, and no
// register is accessed.
TEST(HardwareFacts, CoresWhoseCounterRegistersAreTrappedAreNotTouched) {
  for (const std::set<u32>& trapped : {std::set<u32>{0, 1, 2, 3}, std::set<u32>{2}}) {
    FakeMachine machine;
    machine.spe_version = 1;
    Asked asked(machine);
    asked.hal.cores_with_trapped_pmu = trapped;
    ASSERT_EQ(asked.ask(), WPERF_OK);
    EXPECT_EQ(asked.reply.id_aa64dfr0 >> 8 & 0xf, 4u);
    EXPECT_EQ(asked.reply.counters_total, 0u);
    EXPECT_EQ(asked.reply.counters_free, 0u);
    EXPECT_EQ(asked.reply.cycle_counters, 0u);
    WperfCoreReply core = {};
    ASSERT_EQ(asked.ann.ask(WPERF_CODE_CORE, WperfCoreRequest{{}, 2, 0}, core), WPERF_OK);
    EXPECT_EQ(core.pmceid0 | core.pmceid1 | core.counters_total, 0u);
    EXPECT_EQ(asked.ann.configure(count_request({0}, {8})), WPERF_NOT_SUPPORTED);
    EXPECT_EQ(asked.ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_NOT_SUPPORTED);
    EXPECT_EQ(asked.ann.configure(spe_request({0})), WPERF_OK) << "that is another unit";
    asked.hal.cores_with_trapped_pmu.clear();
    ASSERT_EQ(asked.ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    ASSERT_EQ(asked.ask(), WPERF_OK);
    EXPECT_EQ(asked.reply.counters_total, 6u);
  }
}

// A hypervisor reports PMSVer but traps the other registers of the SPE. The driver accesses the SPE only for a client
// that asks for it.
TEST(HardwareFacts, SpeRegistersAreTouchedForTheSpeOnly) {
  FakeMachine machine;
  machine.spe_version = 1;
  Asked asked(machine);
  for (u32 core = 0; core < machine.cores; ++core) {
    asked.hal.cores_with_trapped_spe.insert(core);
  }
  asked.hal.before_read = [](Register reg) { EXPECT_TRUE(reg < Register::pmsidr || reg >= Register::clusterpmcr); };
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.ann.configure(count_request({0}, {8})), WPERF_OK);
  WperfSpeCoreReply spe = {};
  ASSERT_EQ(asked.ann.spe(0, spe), WPERF_OK);
  EXPECT_EQ(spe.pmsidr, 0u);
  EXPECT_EQ(spe.version, 1u);
  EXPECT_EQ(asked.ann.configure(spe_request({0})), WPERF_NOT_SUPPORTED);
  asked.hal.before_read = nullptr;
  asked.hal.cores_with_trapped_spe.clear();
  ASSERT_EQ(asked.ann.spe(0, spe), WPERF_OK);
  EXPECT_EQ(spe.pmsidr, 0x5'1009u);
  EXPECT_EQ(spe.pmbidr, 0x26u);
}

TEST(HardwareFacts, NoFreeCountersIsNotAnError) {
  FakeMachine machine;
  machine.reserved_mask = 0;
  Asked asked(machine);
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.counters_free, 0u);
  EXPECT_EQ(asked.reply.counter_map[0], 0xff);
  EXPECT_EQ(asked.ann.configure(count_request({0}, {0x8})), WPERF_NO_COUNTERS);
  EXPECT_EQ(asked.ann.configure(count_request({0}, {})), WPERF_OK) << "cycles still count";
}

TEST(HardwareFacts, UnsoundTopologyIsRefused) {
  for (const auto& [cores, count, size] : {std::array{4u, 1u, 2u}, std::array{4u, 2u, 0u}, std::array{0u, 0u, 0u},
                                           std::array{257u, 0u, 0u}, std::array{4u, 129u, 1u}}) {
    FakeMachine machine;
    machine.cores = cores;
    machine.cluster_count = count;
    machine.cluster_size = size;
    Asked asked(machine);
    EXPECT_EQ(asked.ask(), WPERF_HARDWARE_FAILED);
  }
}

TEST(HardwareFacts, LastClusterMayBePartlyFilled) {
  FakeMachine machine;
  machine.cores = 5;
  machine.cluster_count = 3;
  Asked asked(machine);
  ASSERT_EQ(asked.ask(), WPERF_OK);
  WperfCountRequest request = count_request({4}, {});
  set_events(request, EventClass::dsu, {0x2b});
  ASSERT_EQ(asked.ann.configure(request), WPERF_OK);
  WperfCountReply reply = {};
  EXPECT_EQ(asked.ann.read(EventClass::dsu, 2, reply), WPERF_OK);
}

TEST(HardwareFacts, TheTimerAndTheClockAreOfOneMoment) {
  Asked asked({});
  asked.hal.now_ns = 3'000'000;
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.timer_hz, 50'000'000u);
  EXPECT_EQ(asked.reply.timer_time_ns, 3'000'000u);
  EXPECT_EQ(asked.reply.timer_ticks, 7000u + 150'000u);
  // If reading the timer takes time, the answer is the middle of that time.
  asked.hal.before_read = [&](Register reg) { asked.hal.now_ns += reg == Register::cntvct ? 2000 : 0; };
  ASSERT_EQ(asked.ask(), WPERF_OK);
  EXPECT_EQ(asked.reply.timer_time_ns, 3'001'000u);
}

TEST(HardwareFacts, ImplausibleFrequencyIsOmitted) {
  for (const u64 hz : {u64{0}, u64{1} << 32}) {
    Asked asked({});
    asked.hal.timer_hz = hz;
    ASSERT_EQ(asked.ask(), WPERF_OK);
    EXPECT_EQ(asked.reply.timer_hz, 0u);
  }
}

TEST(HardwareFacts, OfflineCoreFailsTheQuery) {
  Asked asked({});
  asked.hal.offline = {3};
  EXPECT_EQ(asked.ask(), WPERF_HARDWARE_FAILED);
  EXPECT_FALSE(asked.hal.reserved);
  asked.hal.offline.clear();
  EXPECT_EQ(asked.ask(), WPERF_OK);
}

}  // namespace
}  // namespace wperf::driver
