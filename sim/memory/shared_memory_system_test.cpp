// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/shared_memory_system.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

TEST(SharedMemorySystem, ACoreFindsInItsClusterWhatItsNeighbourFetched) {
  SharedMemorySystem memory({.core_count = 4, .cluster_size = 2});
  ASSERT_EQ(memory.cluster_count(), 2U);
  EXPECT_EQ(memory.read_line(0, 100, false), Served::dram);
  EXPECT_EQ(memory.read_line(1, 100, false), Served::l3);
  EXPECT_EQ(memory.read_line(2, 100, true), Served::dram) << "the other cluster has its own";
  EXPECT_EQ(memory.cluster(0).l3d_cache_rd, 2U);
  EXPECT_EQ(memory.cluster(0).l3d_cache_refill_rd, 1U);
  EXPECT_EQ(memory.cluster(1).l3d_cache_refill_wr, 1U);
  EXPECT_EQ(memory.channel(0).bytes_read, 128U);
  EXPECT_EQ(memory.channel(1).bytes_read, 0U);
}

TEST(SharedMemorySystem, LinesInterleaveOverChannels) {
  SharedMemorySystem memory({.core_count = 1, .cluster_size = 1, .dmc_channels = 4});
  for (u64 line = 0; line < 40; ++line) memory.read_line(0, line, false);
  for (u32 channel = 0; channel < 4; ++channel) EXPECT_EQ(memory.channel(channel).bytes_read, 640U) << channel;
}

TEST(SharedMemorySystem, DirtyLinesReachDramWhenEvictedAndOnlyThen) {
  SharedMemorySystem memory(
      {.core_count = 1, .cluster_size = 1, .l3_bytes = 64 * 16, .l3_ways = 16, .dmc_channels = 1});
  for (u64 line = 0; line < 16; ++line) memory.write_back_line(0, line);
  EXPECT_EQ(memory.channel(0).bytes_written, 0U);
  EXPECT_EQ(memory.channel(0).bytes_read, 0U) << "whole lines need no fetch";
  for (u64 line = 16; line < 32; ++line) memory.read_line(0, line, false);
  EXPECT_EQ(memory.channel(0).bytes_written, 1024U);
  EXPECT_EQ(memory.channel(0).bytes_read, 1024U);
  for (u64 line = 32; line < 48; ++line) memory.read_line(0, line, false);
  EXPECT_EQ(memory.channel(0).bytes_written, 1024U) << "clean lines are dropped";
  EXPECT_EQ(memory.cluster(0).l3d_cache_wb, 16U);
  EXPECT_EQ(memory.cluster(0).bus_access_wr, 16U);
}

TEST(SharedMemorySystem, WithoutAClusterEveryLineIsDramTraffic) {
  SharedMemorySystem memory({.core_count = 2, .cluster_size = 0, .dmc_channels = 1});
  EXPECT_EQ(memory.cluster_count(), 0U);
  EXPECT_EQ(memory.read_line(1, 5, false), Served::dram);
  EXPECT_EQ(memory.read_line(1, 5, false), Served::dram);
  memory.write_back_line(1, 5);
  EXPECT_EQ(memory.channel(0).bytes_read, 128U);
  EXPECT_EQ(memory.channel(0).bytes_written, 64U);
}

}  // namespace
}  // namespace wperf::sim
