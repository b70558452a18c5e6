// SPDX-License-Identifier: BSD-3-Clause
// Programs with known traffic in the memory system, and the modelled kernel.
#include "sim/cpu/core_model.h"

#include <gtest/gtest.h>

#include "sim/cpu/test_programs.h"

namespace wperf::sim {
namespace {

using test::kData;
using test::OneCore;

struct Refills {
  double l1, l2, l3, cycles;  // per load
};

// Follows a ring of pointers through `bytes`, after one warm-up round.
Refills chase(u64 bytes) {
  OneCore core(bytes);
  core.make_ring(bytes);
  core.load(test::kChase);
  const auto laps = [&](u64 loads) {
    core.thread.pc = test::kCode;
    core.thread.x[0] = kData;
    core.thread.x[1] = loads;
    EXPECT_EQ(core.resume().reason, StopReason::kernel_call);
  };
  const u64 lines = bytes / 64;
  laps(lines);
  const SignalCounts before = core.engine.signals();
  laps(lines);
  const auto per_load = [&](Signal signal) {
    return static_cast<double>(core.user(signal) - before(Level::user, signal)) / static_cast<double>(lines);
  };
  return {per_load(Signal::l1d_cache_refill_rd), per_load(Signal::l2d_cache_refill_rd),
          per_load(Signal::l3d_cache_refill), per_load(Signal::cycles)};
}

TEST(CoreModel, PointerChasingStepsAtTheSizeOfEachCache) {
  // 64 KiB L1D, 512 KiB L2, 1 MiB L3.
  const Refills in_l1 = chase(32 << 10);
  const Refills fills_l1 = chase(64 << 10);
  const Refills in_l2 = chase(128 << 10);
  const Refills fills_l2 = chase(512 << 10);
  const Refills in_l3 = chase(1 << 20);
  const Refills in_dram = chase(2 << 20);
  EXPECT_LT(in_l1.l1, 0.01);
  EXPECT_LT(fills_l1.l1, 0.01);
  EXPECT_GT(in_l2.l1, 0.99);
  EXPECT_LT(in_l2.l2, 0.01);
  EXPECT_LT(fills_l2.l2, 0.02);
  EXPECT_GT(in_l3.l2, 0.99);
  EXPECT_LT(in_l3.l3, 0.02);
  EXPECT_GT(in_dram.l3, 0.99);
  EXPECT_LT(in_l1.cycles, 2);
  EXPECT_GT(in_l2.cycles, in_l1.cycles + 7);
  EXPECT_GT(in_l3.cycles, in_l2.cycles + 15);
  EXPECT_GT(in_dram.cycles, in_l3.cycles + 100);
}

TEST(CoreModel, AStreamMovesTheBytesItMustBetweenDramAndTheCaches) {
  constexpr u64 kBytes = 8 << 20;  // per array, far beyond L3
  OneCore core(4 * kBytes);
  core.thread.x[0] = kBytes / 8;
  core.thread.x[1] = kData;
  core.thread.x[2] = kData + kBytes;
  core.thread.x[3] = kData + 2 * kBytes;
  EXPECT_EQ(core.run(test::kTriad).reason, StopReason::kernel_call);
  u64 read = 0;
  u64 written = 0;
  for (u32 channel = 0; channel < 2; ++channel) {
    read += core.shared.channel(channel).bytes_read;
    written += core.shared.channel(channel).bytes_written;
  }
  // Two arrays are read, the third is read for ownership and written; its last lines are still in the caches.
  EXPECT_NEAR(static_cast<double>(read), 3.0 * kBytes, 0.01 * kBytes);
  EXPECT_LE(written, kBytes);
  EXPECT_GE(written, kBytes - (1 << 20) - (512 << 10) - (64 << 10));
  EXPECT_EQ(core.user(Signal::l1d_cache_refill_rd), 2 * kBytes / 64);
  EXPECT_EQ(core.user(Signal::l1d_cache_refill_wr), kBytes / 64);
}

TEST(CoreModel, StallsArePartOfTheCycles) {
  OneCore core(2 << 20);
  core.make_ring(2 << 20);
  core.thread.x[0] = kData;
  core.thread.x[1] = 20000;
  core.run(test::kChase);
  const u64 cycles = core.user(Signal::cycles);
  EXPECT_GT(core.user(Signal::stall_backend_membound), cycles * 9 / 10);
  EXPECT_EQ(core.user(Signal::stall_backend_membound), core.user(Signal::stall_backend));
  EXPECT_NEAR(static_cast<double>(core.user(Signal::stall_backend) + core.user(Signal::stall_frontend)) + 60001.0 / 4,
              static_cast<double>(cycles), 3);
}

// On every kind of core, each stall cycle has exactly one reason.
void expect_reasons_add_up(const OneCore& core) {
  EXPECT_EQ(core.user(Signal::stall_backend_membound),
            core.user(Signal::stall_backend_l1d) + core.user(Signal::stall_backend_mem) +
                core.user(Signal::stall_backend_tlb) + core.user(Signal::stall_backend_st));
  EXPECT_EQ(core.user(Signal::stall_frontend_membound), core.user(Signal::stall_frontend_l1i) +
                                                            core.user(Signal::stall_frontend_mem) +
                                                            core.user(Signal::stall_frontend_tlb));
  EXPECT_EQ(core.user(Signal::stall_frontend), core.user(Signal::stall_frontend_membound) +
                                                   core.user(Signal::stall_frontend_flush) +
                                                   core.user(Signal::stall_frontend_flow));
}

TEST(CoreModel, EveryStallHasAReason) {
  for (const bool counts_slots : {false, true}) {
    for (const bool recovers_in_backend : {false, true}) {
      CoreConfig config;
      config.counts_slots = counts_slots;
      config.recovers_in_backend = recovers_in_backend;
      OneCore chasing(2 << 20, {}, config);
      chasing.make_ring(2 << 20);
      chasing.thread.x[0] = kData;
      chasing.thread.x[1] = 20000;
      chasing.run(test::kChase);
      expect_reasons_add_up(chasing);
      OneCore guessing(1 << 20, {}, config);
      guessing.thread.x[0] = 20000;
      guessing.thread.x[2] = 88172645463325252;
      guessing.run(test::kBranchy);
      expect_reasons_add_up(guessing);
      // A mispredicted branch costs the same on every kind of core.
      const u64 wrong = guessing.user(Signal::br_mis_pred);
      const u64 frontend = !counts_slots ? kMispredictWait : recovers_in_backend ? kFrontendRecovery : kRecoveryWait;
      EXPECT_EQ(guessing.user(Signal::stall_frontend_flush), wrong * frontend);
      const u64 ops = guessing.user(Signal::op_spec) - guessing.user(Signal::op_retired);
      EXPECT_EQ(ops, counts_slots ? wrong * kWrongPathCycles * config.issue_width : 0);
      const u64 backend = counts_slots && recovers_in_backend ? kRecoveryWait - kFrontendRecovery : 0;
      EXPECT_EQ(guessing.user(Signal::stall_backend) - guessing.user(Signal::stall_backend_membound), wrong * backend);
    }
  }
}

TEST(CoreModel, RandomBranchesCostMispredictsAndRegularOnesDoNot) {
  OneCore random;
  random.thread.x[0] = 20000;
  random.thread.x[2] = 88172645463325252;
  random.run(test::kBranchy);
  EXPECT_EQ(random.user(Signal::br_retired), 40000U);
  EXPECT_GT(random.user(Signal::br_mis_pred), 9000U);
  EXPECT_LT(random.user(Signal::br_mis_pred), 12000U);
  EXPECT_GE(random.user(Signal::stall_frontend), random.user(Signal::br_mis_pred) * kMispredictWait);

  OneCore regular;
  regular.thread.x[0] = 20000;
  regular.run(test::kBranchy);  // xorshift of zero stays zero
  EXPECT_LT(regular.user(Signal::br_mis_pred), 50U);

  OneCore calls;
  calls.thread.x[0] = 15;
  calls.run(test::kFibonacci);
  EXPECT_EQ(calls.thread.x[0], 610U);
  EXPECT_EQ(calls.user(Signal::br_return_retired), 1973U);
  EXPECT_LT(calls.user(Signal::br_mis_pred), 1973U / 5);
}

TEST(CoreModel, KernelWorkCountsAtKernelLevelOnly) {
  SharedMemorySystem shared(SharedConfig{});
  CoreEngine engine(CoreConfig{}, shared);
  engine.run_kernel(KernelWork::system_call);
  const SignalCounts& counts = engine.signals();
  const auto kernel = [&](Signal signal) { return counts(Level::kernel, signal); };
  EXPECT_EQ(kernel(Signal::inst_retired), 600U);
  EXPECT_EQ(kernel(Signal::inst_spec), 600U);
  EXPECT_EQ(kernel(Signal::l1d_cache_rd), kernel(Signal::ld_spec));
  EXPECT_EQ(kernel(Signal::l1d_cache_wr), kernel(Signal::st_spec));
  EXPECT_EQ(kernel(Signal::ld_spec) + kernel(Signal::st_spec) + kernel(Signal::dp_spec) +
                kernel(Signal::br_immed_spec) + kernel(Signal::br_indirect_spec) + kernel(Signal::isb_spec) +
                kernel(Signal::dmb_spec),
            600U);
  EXPECT_EQ(kernel(Signal::exc_taken), 1U);
  EXPECT_EQ(kernel(Signal::exc_svc), 1U);
  EXPECT_EQ(kernel(Signal::exc_return), 1U);
  EXPECT_GT(kernel(Signal::cycles), 150U);
  for (const u64 value : counts.at[static_cast<usize>(Level::user)]) EXPECT_EQ(value, 0U);
  engine.run_kernel(KernelWork::timer_tick);
  EXPECT_EQ(kernel(Signal::exc_irq), 1U);
  EXPECT_EQ(kernel(Signal::exc_svc), 1U);
  EXPECT_EQ(kernel(Signal::inst_retired), 3100U);
}

TEST(CoreModel, AnIdleMachineStillReachesDramOnEveryTick) {
  SharedMemorySystem shared(SharedConfig{});
  CoreEngine engine(CoreConfig{}, shared);
  for (int i = 0; i < 200; ++i) engine.run_kernel(KernelWork::timer_tick);
  const u64 before = engine.signals()(Level::kernel, Signal::l3d_cache_refill);
  for (int i = 0; i < 100; ++i) engine.run_kernel(KernelWork::timer_tick);
  const u64 refills = engine.signals()(Level::kernel, Signal::l3d_cache_refill) - before;
  EXPECT_GE(refills, 1000U);
  EXPECT_LE(refills, 4000U);
}

}  // namespace
}  // namespace wperf::sim
