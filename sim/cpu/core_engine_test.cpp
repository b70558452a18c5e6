// SPDX-License-Identifier: BSD-3-Clause
// The engine on hand-written programs: its counts must equal those counted by hand.
#include "sim/cpu/core_engine.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/cpu/test_programs.h"

namespace wperf::sim {
namespace {

using test::kCode;
using test::kData;
using test::OneCore;

TEST(CoreEngine, CountsEveryInstructionOnceByItsClass) {
  OneCore core;
  const Stop stop = core.run(test::kExact);
  EXPECT_EQ(stop.reason, StopReason::kernel_call);
  EXPECT_EQ(stop.immediate, 7U);
  EXPECT_EQ(core.thread.pc, kCode + 8 * 4);
  EXPECT_EQ(core.thread.x[0], 0U);
  EXPECT_EQ(core.thread.x[30], kCode + 7 * 4);
  // The ret comes back to the svc: 1 + 100 * 5 + bl + ret + svc.
  EXPECT_EQ(core.user(Signal::inst_retired), 504U);
  EXPECT_EQ(core.user(Signal::inst_spec), 504U);
  EXPECT_EQ(core.user(Signal::op_spec), 504U);
  EXPECT_EQ(core.user(Signal::ld_spec), 100U);
  EXPECT_EQ(core.user(Signal::st_spec), 100U);
  EXPECT_EQ(core.user(Signal::dp_spec), 201U);
  EXPECT_EQ(core.user(Signal::br_immed_spec), 101U);
  EXPECT_EQ(core.user(Signal::br_indirect_spec), 1U);
  EXPECT_EQ(core.user(Signal::br_return_spec), 1U);
  EXPECT_EQ(core.user(Signal::br_retired), 102U);
  EXPECT_EQ(core.user(Signal::br_taken_retired), 101U);
  EXPECT_LE(core.user(Signal::br_mis_pred), 4U);
  EXPECT_EQ(core.user(Signal::l1d_cache_rd), 100U);
  EXPECT_EQ(core.user(Signal::l1d_cache_wr), 100U);
  EXPECT_EQ(core.user(Signal::l1d_cache_refill_rd), 1U);
  EXPECT_EQ(core.user(Signal::l1d_cache_refill_wr), 0U);
  EXPECT_EQ(core.user(Signal::l1i_cache_refill), 1U);
  EXPECT_EQ(core.user(Signal::dtlb_walk), 1U);
  EXPECT_EQ(core.user(Signal::itlb_walk), 1U);
  EXPECT_EQ(core.kernel(Signal::inst_retired), 0U);
  EXPECT_GE(core.engine.cycles(), 504U / 4);
}

TEST(CoreEngine, VectorCryptoAndAtomicClasses) {
  OneCore core;
  core.thread.x[0] = 10;
  EXPECT_EQ(core.run(test::kVectors).reason, StopReason::kernel_call);
  EXPECT_EQ(core.user(Signal::inst_retired), 101U);
  EXPECT_EQ(core.user(Signal::op_retired), 101U + 3 * 10) << "two pairs and an atomic are two each";
  EXPECT_EQ(core.user(Signal::ld_spec), 20U);
  EXPECT_EQ(core.user(Signal::st_spec), 20U);
  EXPECT_EQ(core.user(Signal::ase_spec), 10U);
  EXPECT_EQ(core.user(Signal::vfp_spec), 20U);
  EXPECT_EQ(core.user(Signal::crypto_spec), 10U);
  EXPECT_EQ(core.user(Signal::dmb_spec), 10U);
  EXPECT_EQ(core.user(Signal::dp_spec), 10U);
  EXPECT_EQ(core.user(Signal::l1d_cache_rd), 10U * (4 + 1)) << "8 bytes each";
  EXPECT_EQ(core.user(Signal::l1d_cache_wr), 10U * (4 + 1));
  EXPECT_GE(core.user(Signal::stall_backend), 80U) << "divides";
}

TEST(CoreEngine, StoreExclusivesPassOrFailAndAZeroedLineIsOneWrite) {
  OneCore core;
  EXPECT_EQ(core.run(test::kExclusive).reason, StopReason::kernel_call);
  EXPECT_EQ(core.thread.x[3], 0U);
  EXPECT_EQ(core.thread.x[4], 1U);
  EXPECT_EQ(core.thread.x[7], 0U);
  EXPECT_EQ(core.user(Signal::ldrex_spec), 2U);
  EXPECT_EQ(core.user(Signal::strex_pass_spec), 2U);
  EXPECT_EQ(core.user(Signal::strex_fail_spec), 1U);
  EXPECT_EQ(core.user(Signal::rc_ld_spec), 1U);
  EXPECT_EQ(core.user(Signal::rc_st_spec), 1U);
  EXPECT_EQ(core.user(Signal::st_spec), 4U);
  EXPECT_EQ(core.user(Signal::l1d_cache_rd), 3U);
  EXPECT_EQ(core.user(Signal::l1d_cache_wr), 1U + 2 + 1);
}

TEST(CoreEngine, AccessesThatCrossALineAreTwo) {
  OneCore core;
  EXPECT_EQ(core.run(test::kUnaligned).reason, StopReason::kernel_call);
  EXPECT_EQ(core.user(Signal::unaligned_ld_spec), 3U);
  EXPECT_EQ(core.user(Signal::unaligned_st_spec), 1U);
  EXPECT_EQ(core.user(Signal::l1d_cache_rd), 1U + 2 + 2 + 1);
  EXPECT_EQ(core.user(Signal::l1d_cache_wr), 2U);
}

TEST(CoreEngine, InstructionCountsDoNotDependOnTheSlices) {
  OneCore whole;
  whole.thread.x[0] = 20000;
  whole.thread.x[2] = 88172645463325252;
  whole.run(test::kBranchy);
  OneCore sliced;
  sliced.thread.x[0] = 20000;
  sliced.thread.x[2] = 88172645463325252;
  sliced.run(test::kBranchy, 97);
  EXPECT_GT(sliced.slices, 1000U);
  EXPECT_EQ(sliced.thread.x, whole.thread.x);
  EXPECT_EQ(sliced.engine.cycles(), whole.engine.cycles());
  for (usize signal = 0; signal < kSignalCount; ++signal) {
    EXPECT_EQ(sliced.user(static_cast<Signal>(signal)), whole.user(static_cast<Signal>(signal))) << signal;
  }
}

TEST(CoreEngine, LongStraightCodeIsCountedWhereverUnicornCutsIt) {
  std::vector<u32> code(3000, 0x91000442);  // add x2, x2, #1
  code.push_back(0xd4000001);               // svc #0
  for (const u64 slice : {~u64{0}, u64{1}}) {
    OneCore core;
    EXPECT_EQ(core.run(code, slice).reason, StopReason::kernel_call);
    EXPECT_EQ(core.thread.x[2], 3000U);
    EXPECT_EQ(core.user(Signal::inst_retired), 3001U);
    EXPECT_EQ(core.user(Signal::dp_spec), 3000U);
    EXPECT_EQ(core.user(Signal::l1i_cache_refill), (3001U * 4 + 63) / 64);
  }
}

TEST(CoreEngine, EveryRunIsTheSame) {
  OneCore first;
  OneCore second;
  for (OneCore* core : {&first, &second}) {
    core->thread.x[0] = 3000;
    core->run(test::kTriad, 1000);
    core->engine.run_kernel(KernelWork::timer_tick);
  }
  EXPECT_EQ(first.engine.signals().at, second.engine.signals().at);
}

TEST(CoreEngine, ASliceOvershootsByLessThanABlock) {
  OneCore core;
  core.thread.x[0] = 1'000'000;
  core.load(test::kAlu);
  for (int i = 0; i < 50; ++i) {
    const u64 before = core.engine.cycles();
    EXPECT_EQ(core.engine.run(core.space, core.thread, 1000).reason, StopReason::budget);
    EXPECT_GE(core.engine.cycles() - before, 999U);
    EXPECT_LE(core.engine.cycles() - before, 1000U + 100);
  }
}

TEST(CoreEngine, UserCodeFindsWhatWindowsLetsItUse) {
  OneCore core;
  const Stop stop = core.run(test::kUser);
  EXPECT_EQ(stop.reason, StopReason::kernel_call) << stop.text;
  EXPECT_EQ(core.user(Signal::inst_retired), std::size(test::kUser));
  EXPECT_EQ(core.thread.x[8], 7U);
  EXPECT_EQ(core.thread.x[3], 0U) << "swapped in from memory";
  EXPECT_EQ(core.thread.tpidr, kData);
  EXPECT_EQ(core.thread.x[4], 4U) << "DC ZVA allowed, 64 bytes";
  EXPECT_EQ(core.thread.x[5], 25'000'000U);
  EXPECT_LE(core.thread.x[6], core.thread.x[7]);
  EXPECT_LE(core.thread.x[7], core.engine.cycles());
}

TEST(CoreEngine, ThreadsKeepTheirRegisters) {
  OneCore core;
  core.thread.x[0] = 5000;
  core.thread.v[31] = {1, 2};
  core.load(test::kBranchy);
  ThreadState other = core.thread;
  other.x[0] = 4000;
  other.v[31] = {3, 4};
  other.x[3] = 0;
  bool done = false;
  for (int i = 0; i < 100000 && !done; ++i) {
    const bool first = core.engine.run(core.space, core.thread, 500).reason == StopReason::kernel_call;
    if (core.engine.run(core.space, other, 300).reason == StopReason::kernel_call) other.pc = kCode + 7 * 4;
    done = first;
  }
  ASSERT_TRUE(done);
  EXPECT_EQ(core.thread.x[0], 0U);
  EXPECT_EQ(core.thread.v[31], (std::array<u64, 2>{1, 2}));
  EXPECT_EQ(other.v[31], (std::array<u64, 2>{3, 4}));
}

TEST(CoreEngine, TwoEnginesTakeTurnsOnOneAddressSpace) {
  OneCore core;
  CoreEngine second(CoreConfig{.index = 1}, core.shared);
  core.thread.x[0] = 10000;
  core.load(test::kIncrement);
  Stop stop;
  for (int i = 0; stop.reason == StopReason::budget; ++i) {
    stop = (i % 2 == 0 ? core.engine : second).run(core.space, core.thread, 500);
  }
  EXPECT_EQ(stop.reason, StopReason::kernel_call);
  u64 value = 0;
  core.space.read(kData, &value, sizeof value);
  EXPECT_EQ(value, 10000U);
  EXPECT_EQ(core.user(Signal::inst_retired) + second.signals()(Level::user, Signal::inst_retired), 50001U);
  EXPECT_GT(second.signals()(Level::user, Signal::inst_retired), 20000U);
}

TEST(CoreEngine, SpacesTakeTurnsOnOneEngine) {
  OneCore core;
  core.thread.x[0] = 100;
  core.load(test::kIncrement);
  const ThreadState fresh = core.thread;
  for (int i = 0; i < 8; ++i) {  // more than the engine keeps
    AddressSpace other;
    other.map(kCode, 0x1000, kRead | kExecute);
    other.map(kData, 0x1000, kRead | kWrite);
    other.write(kCode, test::kIncrement, sizeof test::kIncrement);
    ThreadState thread = fresh;
    EXPECT_EQ(core.engine.run(other, thread, ~u64{0}).reason, StopReason::kernel_call);
    core.engine.run(core.space, core.thread, 10);
  }
  EXPECT_EQ(core.resume().reason, StopReason::kernel_call);
  u64 value = 0;
  core.space.read(kData, &value, sizeof value);
  EXPECT_EQ(value, 100U);
  EXPECT_EQ(core.user(Signal::inst_retired), 9 * 501U);
}

TEST(CoreEngine, CodeChangedFromOutsideOrByTheProgramIsSeen) {
  OneCore core;
  EXPECT_EQ(core.run(test::kPatched).immediate, 0U);
  EXPECT_EQ(core.thread.x[0], 1U);
  const u32 changed[] = {0xd2800540, 0xd4000061};  // mov x0, #42; svc #3
  EXPECT_EQ(core.run(changed).immediate, 3U);
  EXPECT_EQ(core.thread.x[0], 42U);
  EXPECT_EQ(core.user(Signal::inst_retired), 4U);

  OneCore self;
  self.space.map(0x10000, 0x1000, kRead | kWrite | kExecute);
  self.space.write(0x10000, test::kSelf, sizeof test::kSelf);
  self.thread.pc = 0x10000;
  self.thread.x[0] = 10;
  self.thread.x[1] = 0x10000;
  self.thread.x[3] = 0x1e602842;  // fadd d2, d2, d0 in place of the add
  EXPECT_EQ(self.resume().reason, StopReason::kernel_call);
  EXPECT_EQ(self.thread.x[2], 10U);
  EXPECT_EQ(self.user(Signal::vfp_spec), 10U);
}

TEST(CoreEngine, ProtectionChangesTakeEffect) {
  OneCore core;
  core.thread.x[9] = kData;
  EXPECT_EQ(core.run(test::kFaultWrite).reason, StopReason::kernel_call);
  ASSERT_TRUE(core.space.protect(kData, 1 << 20, kRead));
  EXPECT_EQ(core.run(test::kFaultWrite).text, "write to read-only address 0x20000000000");
  ASSERT_TRUE(core.space.unmap(kData));
  EXPECT_EQ(core.run(test::kFaultWrite).text, "write to unmapped address 0x20000000000");
  ASSERT_TRUE(core.space.map(kData, 0x1000, kRead | kWrite));
  EXPECT_EQ(core.run(test::kFaultWrite).reason, StopReason::kernel_call);
}

struct FaultCase {
  std::span<const u32> code;
  u64 x9;
  const char* text;
  u64 executed;
  u64 pc;
};

TEST(CoreEngine, FaultsNameTheAddressAndCountWhatCameBefore) {
  const FaultCase cases[] = {
      {test::kFaultRead, 0x10, "read of unmapped address 0x10", 2, kCode + 8},
      {test::kFaultRead, ~u64{0} - 7, "read of unmapped address 0xfffffffffffffff8", 2, kCode + 8},
      {test::kFaultWrite, kCode, "write to read-only address 0x7ff612340000", 1, kCode + 4},
      {test::kJump, kData, "jump to non-executable address 0x20000000000", 2, kData},
      {test::kJump, 0x1000, "jump to unmapped address 0x1000", 2, 0x1000},
      {test::kJump, kCode + 2, "jump to unaligned address 0x7ff612340002", 2, kCode + 2},
      {test::kUndefined, 0, "undefined instruction 0xd5382001", 1, kCode + 4},
      {test::kBreakpoint, 0, "breakpoint instruction brk 0xf003", 1, kCode + 4},
  };
  for (const FaultCase& each : cases) {
    OneCore core;
    core.thread.x[9] = each.x9;
    const Stop stop = core.run(each.code);
    EXPECT_EQ(stop.reason, StopReason::fault) << each.text;
    EXPECT_EQ(stop.text, each.text);
    EXPECT_EQ(core.thread.pc, each.pc) << each.text;
    EXPECT_EQ(core.user(Signal::inst_retired), each.executed) << each.text;
    EXPECT_EQ(core.user(Signal::ld_spec) + core.user(Signal::st_spec), 0U) << each.text;
    EXPECT_EQ(core.kernel(Signal::exc_taken), 1U) << each.text;
    EXPECT_LT(core.engine.cycles(), 2000U) << each.text;
    // The engine still works.
    EXPECT_EQ(core.run(test::kExact).reason, StopReason::kernel_call) << each.text;
    EXPECT_EQ(core.user(Signal::inst_retired), each.executed + 504) << each.text;
  }
}

}  // namespace
}  // namespace wperf::sim
