// SPDX-License-Identifier: BSD-3-Clause
// DSU clusters and DMC channels: the units that exist, the values in their registers, the addresses that are accepted.
#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

constexpr u64 kFirst = 0x1000'0000;
constexpr u64 kSecond = 0x1001'0000;

u64 by_unit(EventClass event_class, u32 unit, u32 event, bool el1) {
  return el1 ? 0 : 1'000'000 * index_of(event_class) + 1000 * (unit + 1) + event;
}

class Uncore : public testing::Test {
 protected:
  Uncore() { EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
  ~Uncore() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  u64 value(EventClass event_class, u32 unit, u32 entry) {
    WperfCountReply reply = {};
    EXPECT_EQ(ann.read(event_class, unit, reply), WPERF_OK);
    return reply.entries[entry].value;
  }
  WperfStatus status_of_read(EventClass event_class, u32 unit) {
    WperfCountReply reply = {};
    return ann.read(event_class, unit, reply);
  }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
};

TEST_F(Uncore, ClustersAreThoseOfTheChosenCores) {
  WperfCountRequest request = count_request({2, 3}, {});
  set_events(request, EventClass::dsu, {0x2b, 0x2a});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  hal.offline = {3};  // only core counting needs core 3; the cluster is reached through core 2
  EXPECT_EQ(ann.start(), WPERF_HARDWARE_FAILED);
  hal.offline.clear();
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.advance(kMs, by_unit);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(status_of_read(EventClass::dsu, 0), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(value(EventClass::dsu, 1, 0), by_unit(EventClass::dsu, 1, 0x2b, false));
  EXPECT_EQ(value(EventClass::dsu, 1, 1), by_unit(EventClass::dsu, 1, 0x2a, false));
}

TEST_F(Uncore, AllClassesCountTogether) {
  ASSERT_EQ(ann.set_up_dmc({kFirst, kSecond}), WPERF_OK);
  WperfCountRequest request = count_request({0, 1, 2, 3}, {0x8});
  set_events(request, EventClass::dsu, {0x2b});
  set_events(request, EventClass::dmc_clk, {1, 2});
  set_events(request, EventClass::dmc_clkdiv2, {0x12, 0x19});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.advance(kMs, by_unit);
  core.on_timer();
  hal.advance(kMs, by_unit);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  for (u32 unit = 0; unit < 2; ++unit) {
    EXPECT_EQ(value(EventClass::dsu, unit, 0), 2 * by_unit(EventClass::dsu, unit, 0x2b, false));
    EXPECT_EQ(value(EventClass::dmc_clk, unit, 1), 2 * by_unit(EventClass::dmc_clk, unit, 2, false));
    EXPECT_EQ(value(EventClass::dmc_clkdiv2, unit, 0), 2 * by_unit(EventClass::dmc_clkdiv2, unit, 0x12, false));
  }
  EXPECT_EQ(value(EventClass::core, 3, 0), 2 * by_unit(EventClass::core, 3, 0x8, false));
}

TEST_F(Uncore, OneChannelAloneAndNoCore) {
  ASSERT_EQ(ann.set_up_dmc({kFirst, kSecond}), WPERF_OK);
  WperfCountRequest request = count_request({}, {});
  set_events(request, EventClass::dmc_clkdiv2, {0x12});
  request.dmc_channel = 1;
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.advance(kMs, by_unit);
  EXPECT_EQ(value(EventClass::dmc_clkdiv2, 1, 0), by_unit(EventClass::dmc_clkdiv2, 1, 0x12, false));
  EXPECT_EQ(status_of_read(EventClass::dmc_clkdiv2, 0), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(status_of_read(EventClass::core, 0), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.stop(), WPERF_OK);
}

TEST_F(Uncore, DmcRegistersAreProgrammedAndPutBack) {
  using namespace dmc620;
  u32* words = hal.frames[kFirst].words;
  const u64 control = counter_register(0, kControl) / 4;
  const u64 mask = counter_register(0, kMaskHigh) / 4;
  words[control] = 0x155;
  words[mask] = 0xabcd;
  ASSERT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK);
  WperfCountRequest request = count_request({0}, {});
  set_events(request, EventClass::dmc_clkdiv2, {0x12});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  EXPECT_EQ(words[control], 0x49u) << "rdwr, enabled, not inverted, whole increment";
  EXPECT_EQ(words[mask], 0u) << "every transaction";
  EXPECT_EQ(words[counter_register(1, kControl) / 4], 0u) << "counters that are not needed stay untouched";
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(words[control], 0x155u);
  EXPECT_EQ(words[mask], 0xabcdu);
}

TEST_F(Uncore, DsuAndDmcOverflow) {
  ASSERT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK);
  WperfCountRequest request = count_request({0}, {});
  set_events(request, EventClass::dsu, {0x2b});
  set_events(request, EventClass::dmc_clk, {1});
  set_events(request, EventClass::dmc_clkdiv2, {0x12});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  for (const u64 step : {u64{0xffff'fff0}, u64{0x20}, u64{0x1'0000'0000}, u64{0xffff'ffff}}) {
    hal.advance(kMs, [&](EventClass, u32, u32, bool) { return step; });
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(value(EventClass::dsu, 0, 0), 0x3'0000'000fu);
  EXPECT_EQ(value(EventClass::dmc_clk, 0, 0), 0x3'0000'000fu);
  EXPECT_EQ(value(EventClass::dmc_clkdiv2, 0, 0), 0x3'0000'000fu);
}

TEST_F(Uncore, SetUpChecksEveryAddress) {
  struct Case {
    const char* what;
    std::vector<u64> bases;
    u64 size;
    WperfStatus status;
  };
  const Case cases[] = {
      {"plain", {kFirst, kSecond}, 0x2000, WPERF_OK},
      {"longer frames", {kFirst, kSecond}, 0x10000, WPERF_OK},
      {"none", {}, 0x2000, WPERF_BAD_ARGUMENT},
      {"too many", std::vector<u64>(17, kFirst), 0x2000, WPERF_BAD_ARGUMENT},
      {"not on a page", {kFirst + 8}, 0x2000, WPERF_BAD_ARGUMENT},
      {"at zero", {0}, 0x2000, WPERF_BAD_ARGUMENT},
      {"without its identity", {kFirst}, 0x1000, WPERF_BAD_ARGUMENT},
      {"half a page", {kFirst}, 0x2800, WPERF_BAD_ARGUMENT},
      {"too large", {kFirst}, 0x200'0000, WPERF_BAD_ARGUMENT},
      {"wraps", {0xffff'ffff'ffff'f000}, 0x2000, WPERF_BAD_ARGUMENT},
      {"beyond physical memory", {u64{1} << 52}, 0x2000, WPERF_BAD_ARGUMENT},
      {"twice the same", {kFirst, kFirst}, 0x2000, WPERF_BAD_ARGUMENT},
      {"overlap", {kFirst, kFirst + 0xf000}, 0x10000, WPERF_BAD_ARGUMENT},
      {"no DMC there", {kFirst, 0x2000'0000}, 0x2000, WPERF_ACCESS_DENIED},
  };
  for (const Case& test : cases) {
    ASSERT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK);
    EXPECT_EQ(ann.set_up_dmc(test.bases, test.size), test.status) << test.what;
    WperfHardwareReply reply = {};
    ASSERT_EQ(ann.hardware(reply), WPERF_OK);
    EXPECT_EQ(reply.dmc_channels, test.status == WPERF_OK ? 2u : 1u) << test.what;
    EXPECT_EQ(hal.mapped_frames(), reply.dmc_channels) << test.what;
  }
  WperfHardwareReply reply = {};
  ASSERT_EQ(ann.hardware(reply), WPERF_OK);
  EXPECT_EQ(reply.dmc_clk_counters, 2u);
  EXPECT_EQ(reply.dmc_clkdiv2_counters, 8u);
  EXPECT_STREQ(reply.device_id, "core.stat=core;core.sample=core;dsu.stat=dsu;dmc.stat=dmc_clk,dmc_clkdiv2");
}

TEST_F(Uncore, NewChannelsDropTheConfigurationMadeForTheOld) {
  ASSERT_EQ(ann.set_up_dmc({kFirst, kSecond}), WPERF_OK);
  WperfCountRequest request = count_request({}, {});
  set_events(request, EventClass::dmc_clk, {1});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.set_up_dmc({kSecond}), WPERF_OK);
  EXPECT_EQ(ann.start(), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  EXPECT_EQ(ann.start(), WPERF_OK);
}

// A client that may not set the addresses of controllers may not count there either, even if another client has set
// them.
TEST_F(Uncore, ChannelsGoWithTheClientThatSetThemUp) {
  for (const u32 way : {0, 1, 2}) {
    ASSERT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK);
    WperfCountRequest request = count_request({}, {});
    set_events(request, EventClass::dmc_clk, {1});
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
    TestClient bob(core, 22 + way, false);
    if (way == 0) {
      ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    } else if (way == 1) {
      core.client_gone(11);
    }
    ASSERT_EQ(bob.lock(way == 2 ? WPERF_LOCK_FORCE : WPERF_LOCK_ACQUIRE), WPERF_OK);
    EXPECT_EQ(hal.mapped_frames(), 0u);
    EXPECT_EQ(bob.set_up_dmc({kSecond}), WPERF_ACCESS_DENIED);
    WperfHardwareReply reply = {};
    ASSERT_EQ(bob.hardware(reply), WPERF_OK);
    EXPECT_EQ(reply.dmc_channels, 0u);
    EXPECT_EQ(bob.configure(request), WPERF_NOT_SUPPORTED);
    ASSERT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
    EXPECT_EQ(ann.configure(request), WPERF_NOT_SUPPORTED) << "to be set up anew";
  }
  EXPECT_EQ(ann.set_up_dmc({kSecond}), WPERF_OK);
}

TEST_F(Uncore, ChannelsThatWereSetUpFirstOfAllStayForTheirClient) {
  ASSERT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK);
  WperfHardwareReply reply = {};
  ASSERT_EQ(ann.hardware(reply), WPERF_OK);
  EXPECT_EQ(reply.dmc_channels, 1u);
  EXPECT_EQ(ann.set_up_dmc({}), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.hardware(reply), WPERF_OK);
  EXPECT_EQ(reply.dmc_channels, 1u);
}

TEST_F(Uncore, OtherDevicesAreNotMappedWritable) {
  for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
    u32& identity = hal.frames[kFirst].identity[it.offset / 4];
    identity ^= it.mask;
    EXPECT_EQ(ann.set_up_dmc({kFirst}), WPERF_ACCESS_DENIED) << it.offset;
    EXPECT_EQ(hal.mapped_frames(), 0u);
    identity = it.value | 0xabcd'ef00;  // only the low byte is defined
    EXPECT_EQ(ann.set_up_dmc({kFirst}), WPERF_OK) << it.offset;
    core.client_gone(11);
    core.shutdown();
    ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
}

}  // namespace
}  // namespace wperf::driver
