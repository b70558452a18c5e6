// SPDX-License-Identifier: BSD-3-Clause
// The requests that are refused and the reasons, and the registers that follow from an accepted request.
#include "driver/core/spe_request.h"

#include <gtest/gtest.h>

#include "driver/core/spe_fixture.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {
namespace {

CoreIdentity core_with(u32 version, u64 pmsidr, u64 pmbidr) {
  CoreIdentity identity = {};
  identity.id_aa64dfr0 = u64{version} << 32;
  identity.pmsidr = pmsidr;
  identity.pmbidr = pmbidr;
  return identity;
}

TEST(SpeRequest, AbilitiesAreDecoded) {
  const SpeAbilities all = spe_abilities(core_with(3, kAllOfSpe, 0x26));
  EXPECT_TRUE(all.usable && all.filters_events && all.filters_absent_events && all.filters_types &&
              all.filters_latency);
  EXPECT_EQ(all.min_interval, 1024u);
  EXPECT_EQ(all.latency_bits, 12u);
  EXPECT_EQ(all.alignment, 64u);
  EXPECT_EQ(spe_abilities(core_with(3, 0x3'0000, 0)).latency_bits, 16u);
  EXPECT_FALSE(spe_abilities(core_with(2, kAllOfSpe, 0)).filters_absent_events) << "before FEAT_SPEv1p2";
  EXPECT_FALSE(spe_abilities(core_with(0, kAllOfSpe, 0)).usable);
  EXPECT_FALSE(spe_abilities(core_with(3, kAllOfSpe, 0x10)).usable) << "PMBIDR.P";
  EXPECT_FALSE(spe_abilities(core_with(3, kAllOfSpe, 0xd)).usable) << "alignment beyond a page";
  const u32 intervals[] = {256, 4096, 512, 768, 1024, 1536, 2048, 3072, 4096, 4096, 4096, 4096};
  for (u64 field = 0; field < std::size(intervals); ++field) {
    EXPECT_EQ(spe_abilities(core_with(1, field << 8, 0)).min_interval, intervals[field]) << field;
  }
}

TEST(SpeRequest, WhatNoCoreCouldDoIsABadArgument) {
  const auto refused = [](auto&& bend) {
    WperfSpeRequest request = spe_request({0, 3});
    bend(request);
    return check_spe_request(request, 4);
  };
  EXPECT_EQ(refused([](WperfSpeRequest&) {}), WPERF_OK);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.flags = 256; }), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.interval = 0; }), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.core_mask[0] = 0; }), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.core_mask[0] = 16; }), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.core_mask[3] = 1; }), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(refused([](WperfSpeRequest& it) { it.events = it.not_events = 2; }), WPERF_BAD_ARGUMENT);
  for (const u32 bytes : {1u, 4096u, 8192u, 16385u, 16384u + 4096u, 8388608u + 8192u, ~0u}) {
    EXPECT_EQ(refused([bytes](WperfSpeRequest& it) { it.buffer_bytes = bytes; }), WPERF_BAD_ARGUMENT) << bytes;
  }
  for (const u32 bytes : {0u, 16384u, 24576u, 8388608u}) {
    EXPECT_EQ(refused([bytes](WperfSpeRequest& it) { it.buffer_bytes = bytes; }), WPERF_OK) << bytes;
  }
  WperfSpeRequest greedy = spe_request({});
  greedy.buffer_bytes = WPERF_SPE_MAX_BUFFER;
  greedy.core_mask[0] = ~u64{0};
  EXPECT_EQ(check_spe_request(greedy, 256), WPERF_OK) << "512 MB";
  greedy.core_mask[1] = 1;
  EXPECT_EQ(check_spe_request(greedy, 256), WPERF_NO_MEMORY);
}

TEST(SpeRequest, WhatThisCoreCannotIsNotSupported) {
  const SpeAbilities able = spe_abilities(core_with(3, kAllOfSpe, 0x26));
  WperfSpeRequest full = spe_request({0});
  full.flags = 255;
  full.interval = 1024;
  full.events = 2;
  full.not_events = 8;
  full.min_latency = 4095;
  ASSERT_EQ(check_spe_core(full, able), WPERF_OK);
  const auto lacking = [&](auto&& bend) {
    SpeAbilities less = able;
    bend(less);
    return check_spe_core(full, less);
  };
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.usable = false; }), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.filters_events = false; }), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.filters_absent_events = false; }), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.filters_types = false; }), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.filters_latency = false; }), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.min_interval = 1536; }), WPERF_NOT_SUPPORTED);
  full.min_latency = 4096;
  EXPECT_EQ(check_spe_core(full, able), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(lacking([](SpeAbilities& it) { it.latency_bits = 16; }), WPERF_OK);
  const SpeAbilities none = spe_abilities(core_with(1, 0, 0));
  EXPECT_EQ(check_spe_core(spe_request({0}), none), WPERF_OK) << "an SPE without filters does for a request without";
}

TEST(SpeRequest, RegistersAreWhatWasAsked) {
  WperfSpeRequest request = spe_request({0});
  request.interval = 4095;
  SpePlan plan = plan_of(request);
  EXPECT_EQ(plan.pmscr, kPmscrEl0);
  EXPECT_EQ(plan.pmsirr, 3840u) << "down to a multiple of 256";
  EXPECT_EQ(plan.pmsfcr, 0u);
  EXPECT_EQ(plan.half_bytes, 8192u);
  request.interval = ~0u;
  request.buffer_bytes = 0;
  EXPECT_EQ(plan_of(request).pmsirr, 0xffff'ff00u);
  EXPECT_EQ(plan_of(request).half_bytes, 524'288u);
  const struct {
    u32 flag;
    u64 pmscr, pmsirr, pmsfcr;
  } rows[] = {
      {WPERF_SPE_KERNEL, 2, 0, 0},        {WPERF_SPE_TIMESTAMPS, 0x20, 0, 0},   {WPERF_SPE_PHYSICAL, 0x10, 0, 0},
      {WPERF_SPE_CONTEXT, 8, 0, 0},       {WPERF_SPE_JITTER, 0, 1, 0},          {WPERF_SPE_LOADS, 0, 0, 0x2'0002},
      {WPERF_SPE_STORES, 0, 0, 0x4'0002}, {WPERF_SPE_BRANCHES, 0, 0, 0x1'0002},
  };
  for (const auto& row : rows) {
    request.flags = row.flag;
    plan = plan_of(request);
    EXPECT_EQ(plan.pmscr, 1 | row.pmscr) << row.flag;
    EXPECT_EQ(plan.pmsirr, 0xffff'ff00u | row.pmsirr) << row.flag;
    EXPECT_EQ(plan.pmsfcr, row.pmsfcr) << row.flag;
  }
  request.flags = 0;
  request.events = 0x80;
  request.not_events = 0x2;
  request.min_latency = 100;
  plan = plan_of(request);
  EXPECT_EQ(plan.pmsfcr, 0xdu);
  EXPECT_EQ(plan.pmsevfr, 0x80u);
  EXPECT_EQ(plan.pmsnevfr, 0x2u);
  EXPECT_EQ(plan.pmslatfr, 100u);
}

}  // namespace
}  // namespace wperf::driver
