// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/dsu_pmu.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

using driver::Register;

ClusterSignals distinct_signals() {
  ClusterSignals signals;
  signals.cycles = 1;
  signals.l3d_cache_rd = 10;
  signals.l3d_cache_wr = 200;
  signals.l3d_cache_refill_rd = 3000;
  signals.l3d_cache_refill_wr = 40000;
  signals.l3d_cache_allocate = 500000;
  signals.l3d_cache_wb = 6000000;
  signals.bus_access_rd = 70000000;
  signals.bus_access_wr = 800000000;
  return signals;
}

TEST(DsuPmu, EventsAreSumsOfSignals) {
  struct Row {
    u16 event;
    u64 value;
  };
  const Row rows[] = {{0x11, 1},   {0x1d, 1},       {0x19, 870000000}, {0x29, 500000},    {0x2a, 43000},
                      {0x2b, 210}, {0x2c, 6000000}, {0x60, 70000000},  {0x61, 800000000}, {0xa0, 10},
                      {0xa1, 200}, {0xa2, 3000},    {0xa3, 40000},     {0xc0, 0}};
  for (const Row& row : rows) EXPECT_EQ(cluster_event_value(distinct_signals(), row.event), row.value) << row.event;
}

TEST(DsuPmu, CountsSelectedEventWhileEnabled) {
  DsuPmu pmu(6);
  ClusterSignals now = distinct_signals();
  pmu.write(Register::clusterpmselr, 4, now);
  pmu.write(Register::clusterpmxevtyper, 0x2b, now);
  pmu.write(Register::clusterpmcntenset, 1u << 4, now);
  now.l3d_cache_rd += 5;
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 0u);
  pmu.write(Register::clusterpmcr, 1, now);
  now.l3d_cache_rd += 7;
  now.l3d_cache_wr += 1;
  pmu.write(Register::clusterpmselr, 0, now);
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 0u);
  pmu.write(Register::clusterpmselr, 4, now);
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 8u);
  pmu.write(Register::clusterpmcntenclr, ~u64{0}, now);
  now.l3d_cache_rd += 7;
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 8u);
  pmu.write(Register::clusterpmcr, 3, now);
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 0u);
  EXPECT_EQ(pmu.read(Register::clusterpmcr, now), 1u | 6u << 11);
}

TEST(DsuPmu, WrapsAtThirtyTwoBits) {
  DsuPmu pmu(6);
  ClusterSignals now;
  pmu.write(Register::clusterpmxevtyper, 0x11, now);
  pmu.write(Register::clusterpmxevcntr, 0xffffffff, now);
  pmu.write(Register::clusterpmcntenset, 1, now);
  pmu.write(Register::clusterpmcr, 1, now);
  now.cycles += 3;
  EXPECT_EQ(pmu.read(Register::clusterpmovsclr, now), 1u);
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 2u);
  pmu.write(Register::clusterpmovsclr, 1, now);
  EXPECT_EQ(pmu.read(Register::clusterpmovsclr, now), 0u);
}

TEST(DsuPmu, MissingCountersReadZeroAndIgnoreWrites) {
  DsuPmu pmu(2);
  const ClusterSignals now;
  pmu.write(Register::clusterpmselr, 2, now);
  pmu.write(Register::clusterpmxevtyper, 0x2b, now);
  pmu.write(Register::clusterpmxevcntr, 9, now);
  EXPECT_EQ(pmu.read(Register::clusterpmxevtyper, now), 0u);
  EXPECT_EQ(pmu.read(Register::clusterpmxevcntr, now), 0u);
  pmu.write(Register::clusterpmcntenset, ~u64{0}, now);
  EXPECT_EQ(pmu.read(Register::clusterpmcntenset, now), 3u);
}

}  // namespace
}  // namespace wperf::sim
