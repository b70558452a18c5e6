// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/core_memory.h"

#include <gtest/gtest.h>

#include "sim/cpu/core_engine.h"
#include "sim/cpu/cycle_costs.h"

namespace wperf::sim {
namespace {

constexpr u64 kBase = 0x10000000;

struct Memory {
  explicit Memory(SharedConfig shared_config = {}, CoreConfig config = {})
      : shared(shared_config), core(config, shared) {
    core.select(1, counts);
  }
  u64 at(Signal signal) const { return counts[static_cast<usize>(signal)]; }

  SharedMemorySystem shared;
  CoreMemory core;
  std::array<u64, kSignalCount> counts{};
};

TEST(CoreMemory, AMissGoesDownToDramAndTheNextAccessHits) {
  Memory memory;
  EXPECT_EQ(memory.core.load(kBase, 8), kWalkWait + kDramWait);
  EXPECT_EQ(memory.core.load(kBase + 56, 8), 0U);
  EXPECT_EQ(memory.at(Signal::l1d_cache_rd), 2U);
  for (const Signal once :
       {Signal::l1d_cache_refill_rd, Signal::l2d_cache_rd, Signal::l2d_cache_refill_rd, Signal::l3d_cache_rd,
        Signal::l3d_cache_refill, Signal::ll_cache_rd, Signal::ll_cache_miss_rd, Signal::bus_access_rd,
        Signal::l1d_tlb_refill_rd, Signal::l2d_tlb_rd, Signal::l2d_tlb_refill_rd, Signal::dtlb_walk}) {
    EXPECT_EQ(memory.at(once), 1U) << static_cast<int>(once);
  }
  EXPECT_EQ(memory.shared.channel(0).bytes_read + memory.shared.channel(1).bytes_read, 64U);
}

TEST(CoreMemory, DirtyLinesTrickleDownOneLevelAtATime) {
  Memory memory({.l3_bytes = 1 << 20});
  constexpr u64 kLines = 64 * 1024 / 64;  // fills L1D
  for (u64 i = 0; i < kLines; ++i) memory.core.store(kBase + i * 64, 8);
  EXPECT_EQ(memory.at(Signal::l1d_cache_refill_wr), kLines);
  EXPECT_EQ(memory.at(Signal::l1d_cache_wb), 0U);
  for (u64 i = kLines; i < 2 * kLines; ++i) memory.core.load(kBase + i * 64, 8);
  EXPECT_EQ(memory.at(Signal::l1d_cache_wb), kLines);
  EXPECT_EQ(memory.at(Signal::l1d_cache_wb_victim), kLines);
  EXPECT_EQ(memory.at(Signal::l2d_cache_wr), 2 * kLines) << "fetched for ownership, then written back";
  EXPECT_EQ(memory.at(Signal::l2d_cache_wb), 0U);
  for (u64 i = 2 * kLines; i < 40 * kLines; ++i) memory.core.load(kBase + i * 64, 8);
  EXPECT_EQ(memory.at(Signal::l2d_cache_wb), kLines);
  EXPECT_EQ(memory.at(Signal::l3d_cache_wr), kLines);
  EXPECT_EQ(memory.shared.channel(0).bytes_written + memory.shared.channel(1).bytes_written, kLines * 64);
}

TEST(CoreMemory, InstructionsAndDataShareTheL2) {
  Memory memory;
  EXPECT_EQ(memory.core.fetch(kBase), kWalkWait + kDramWait);
  EXPECT_EQ(memory.core.fetch(kBase + 32), 0U);
  EXPECT_EQ(memory.at(Signal::l1i_cache_refill), 1U);
  EXPECT_EQ(memory.at(Signal::itlb_walk), 1U);
  EXPECT_EQ(memory.core.load(kBase, 8), kL2TlbWait + kL2Wait);
  EXPECT_EQ(memory.at(Signal::l2d_cache_refill_rd), 1U);
  EXPECT_EQ(memory.at(Signal::dtlb_walk), 0U) << "the second level has the page";
}

TEST(CoreMemory, SequentialMissesWaitLess) {
  Memory memory;
  memory.core.load(kBase, 8);
  EXPECT_EQ(memory.core.load(kBase + 64, 8), kDramWait / kSequentialShare);
  EXPECT_EQ(memory.core.load(kBase + 1024, 8), kDramWait);
  EXPECT_EQ(memory.core.load(kBase + 1024 - 64, 8), kDramWait / kSequentialShare) << "downwards too";
  EXPECT_EQ(memory.core.store(kBase + 2048, 8), kDramWait / kStoreShare);
}

TEST(CoreMemory, TlbMissesStepAtTheSizesOfBothLevels) {
  const auto walks = [](u64 pages, Signal signal) {
    Memory memory;
    for (u64 round = 0; round < 2; ++round) {
      if (round == 1) memory.counts.fill(0);
      for (u64 page = 0; page < pages; ++page) memory.core.load(kBase + page * 4096, 8);
    }
    return memory.at(signal);
  };
  EXPECT_EQ(walks(48, Signal::l1d_tlb_refill_rd), 0U);
  EXPECT_EQ(walks(49, Signal::l1d_tlb_refill_rd), 49U);
  EXPECT_EQ(walks(1280, Signal::dtlb_walk), 0U);
  EXPECT_EQ(walks(1280 + 256, Signal::dtlb_walk), 1280U + 256);
}

TEST(CoreMemory, WithoutAClusterTheL2IsTheLastLevel) {
  Memory memory({.core_count = 1, .cluster_size = 0});
  memory.core.load(kBase, 8);
  EXPECT_EQ(memory.at(Signal::l3d_cache_rd), 0U);
  EXPECT_EQ(memory.at(Signal::ll_cache_rd), 1U);
  EXPECT_EQ(memory.at(Signal::ll_cache_miss_rd), 1U);
}

TEST(CoreMemory, ProcessesDoNotHitEachOthersLines) {
  Memory memory;
  memory.core.load(kBase, 8);
  memory.core.select(2, memory.counts);
  EXPECT_EQ(memory.core.load(kBase, 8), kWalkWait + kDramWait);
  memory.core.select(1, memory.counts);
  EXPECT_EQ(memory.core.load(kBase, 8), 0U);
}

TEST(CoreMemory, AZeroedLineIsNotRead) {
  Memory memory;
  memory.core.zero_line(kBase);
  EXPECT_EQ(memory.at(Signal::l1d_cache_wr), 1U);
  EXPECT_EQ(memory.at(Signal::l2d_cache_rd) + memory.at(Signal::l2d_cache_wr), 0U);
  EXPECT_EQ(memory.core.load(kBase, 8), 0U);
}

}  // namespace
}  // namespace wperf::sim
