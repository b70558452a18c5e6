// SPDX-License-Identifier: BSD-3-Clause
// A profiler receives exactly the operations that it chose, with their outcomes. The oracle is plain Unicorn with a
// hook at every instruction.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sim/cpu/core_engine.h"
#include "sim/cpu/cycle_costs.h"
#include "sim/cpu/event_terms.h"
#include "sim/cpu/profiler.h"
#include "sim/cpu/test_programs.h"
#include "sim/cpu/unicorn_cpu.h"
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {
namespace {

using test::kCode;
using test::kData;
using test::OneCore;
using test::Program;

const Program kProfiledPrograms[] = {
    {"exact", test::kExact, 0, kData},         {"vectors", test::kVectors, 40, kData},
    {"exclusive", test::kExclusive, 0, kData}, {"branchy", test::kBranchy, 700, 0},
    {"multiply", test::kMultiply, 20, kData},  {"fibonacci", test::kFibonacci, 12, 0},
    {"triad", test::kTriad, 4000, kData},
};

// The address of each instruction executed.
std::vector<u64> trace_of(const Program& program) {
  struct Trace {
    std::vector<u64> pcs;
    const UnicornLibrary* library;
    static void on_instruction(uc_engine*, u64 address, u32, void* self) {
      static_cast<Trace*>(self)->pcs.push_back(address);
    }
    static void on_exception(uc_engine* cpu, u32, void* self) { static_cast<Trace*>(self)->library->emu_stop(cpu); }
  } trace{{}, unicorn()};
  OneCore core;
  UnicornCpu cpu(*unicorn());
  UnicornRegisters registers(*unicorn(), cpu.handle());
  cpu.add_hook(UC_HOOK_CODE, reinterpret_cast<void*>(&Trace::on_instruction), &trace);
  cpu.add_hook(UC_HOOK_INTR, reinterpret_cast<void*>(&Trace::on_exception), &trace);
  prepare(core, program);
  EXPECT_TRUE(cpu.refresh(core.space));
  registers.load(core.thread);
  cpu.library().emu_start(cpu.handle(), core.thread.pc, ~u64{0} - 3, 0, 0);
  return trace.pcs;
}

// Chooses every interval-th operation.
class EveryNth final : public Profiler {
 public:
  explicit EveryNth(u64 interval, bool kernel = false) : interval_(interval), left_(interval), kernel_(kernel) {}

  bool profiles(Level level) const override { return level == Level::user || kernel_; }
  u64 remaining() const override { return left_; }
  void pass(u64 operations) override {
    EXPECT_LT(operations, left_);
    left_ -= operations;
    population += operations;
  }
  bool choose(u64) override {
    population += left_;
    left_ = interval_;
    return true;
  }
  Completion complete(const Operation& operation) override {
    chosen.push_back(operation);
    return {true, interrupt_every != 0 && chosen.size() % interrupt_every == 0};
  }

  std::vector<Operation> chosen;
  u64 population = 0;
  usize interrupt_every = 0;

 private:
  u64 interval_, left_;
  bool kernel_;
};

class ProfilingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (unicorn() == nullptr) GTEST_SKIP() << unicorn_failure();
  }
};

TEST_F(ProfilingTest, EveryNthOperationIsTold) {
  for (const Program& program : kProfiledPrograms) {
    const std::vector<u64> trace = trace_of(program);
    for (const u64 interval : {67, 500, 1024, 3000, 20011}) {
      for (const u64 slice : {~u64{0}, u64{777}}) {
        OneCore core;
        EveryNth profiler(interval);
        core.engine.set_profiler(&profiler);
        prepare(core, program);
        EXPECT_EQ(core.resume(slice).reason, StopReason::kernel_call);
        ASSERT_EQ(profiler.chosen.size(), trace.size() / interval) << program.name << " " << interval;
        for (usize i = 0; i < profiler.chosen.size(); ++i) {
          ASSERT_EQ(profiler.chosen[i].pc, trace[(i + 1) * interval - 1]) << program.name << " " << interval;
        }
        EXPECT_EQ(profiler.population, trace.size());
        EXPECT_EQ(core.user(Signal::sample_pop), trace.size());
        EXPECT_EQ(core.user(Signal::sample_feed), profiler.chosen.size());
        EXPECT_EQ(core.user(Signal::sample_filtrate), profiler.chosen.size());
      }
    }
  }
}

TEST_F(ProfilingTest, CountsNothingElse) {
  for (const Program& program : kProfiledPrograms) {
    OneCore plain, profiled;
    EveryNth profiler(1024);
    profiled.engine.set_profiler(&profiler);
    prepare(plain, program);
    prepare(profiled, program);
    plain.resume();
    profiled.resume();
    for (usize i = 0; i < static_cast<usize>(Signal::sample_pop); ++i)
      EXPECT_EQ(plain.user(static_cast<Signal>(i)), profiled.user(static_cast<Signal>(i))) << program.name << " " << i;
    EXPECT_EQ(plain.thread.x, profiled.thread.x);
  }
}

TEST_F(ProfilingTest, AnInterruptEndsTheRun) {
  const Program& program = kProfiledPrograms[5];
  const std::vector<u64> trace = trace_of(program);
  OneCore core;
  EveryNth profiler(100);
  profiler.interrupt_every = 3;
  core.engine.set_profiler(&profiler);
  prepare(core, program);
  u64 interrupts = 0;
  Stop stop;
  while ((stop = core.engine.run(core.space, core.thread, ~u64{0})).reason == StopReason::overflow) {
    EXPECT_FALSE(stop.overflowed);
    EXPECT_EQ(profiler.chosen.size(), ++interrupts * 3);
  }
  EXPECT_EQ(stop.reason, StopReason::kernel_call);
  EXPECT_GT(interrupts, 5u);
  EXPECT_EQ(core.user(Signal::inst_retired), trace.size());
  EXPECT_EQ(core.user(Signal::sample_pop), profiler.population);
  EXPECT_LT(profiler.population, trace.size()) << "what follows in the block is in no population";
}

TEST_F(ProfilingTest, WhatBecameOfAnOperation) {
  OneCore core;
  EveryNth profiler(1);
  profiler.interrupt_every = 1;  // one interrupt in each block
  core.engine.set_profiler(&profiler);
  const u32 code[] = {
      0xf9400023,  // ldr x3, [x1]
      0xd4000001,  // svc #0
  };
  EXPECT_EQ(core.run(code).reason, StopReason::kernel_call);
  ASSERT_EQ(profiler.chosen.size(), 1u);
  const Operation& load = profiler.chosen[0];
  EXPECT_EQ(load.pc, kCode);
  EXPECT_TRUE(load.accessed && load.access.refill && load.access.last_level && load.access.walk);
  EXPECT_EQ(load.address, kData);
  EXPECT_EQ(load.access.source, DataSource::dram);
  EXPECT_EQ(load.access.wait, kDramWait);
  EXPECT_EQ(load.access.translation, kWalkWait);
  EXPECT_EQ(load.total_latency, kIssueLatency + kLoadToUse + kDramWait + kWalkWait);
  EXPECT_TRUE(load.retired);
}

TEST_F(ProfilingTest, FaultsAreTold) {
  const u32 code[] = {
      0x91000442,  // add x2, x2, #0x1
      0xf9400003,  // ldr x3, [x0]
      0x91000442,  // add x2, x2, #0x1
      0xd4000001,  // svc #0
  };
  for (const u64 interval : {2, 3}) {
    OneCore core;
    EveryNth profiler(interval);
    core.engine.set_profiler(&profiler);
    core.thread.x[0] = 0x10;
    EXPECT_EQ(core.run(code).reason, StopReason::fault);
    ASSERT_EQ(profiler.chosen.size(), interval == 2 ? 1u : 0u);
    EXPECT_EQ(profiler.population, interval == 2 ? 2u : 1u);
    if (interval == 3) continue;
    EXPECT_EQ(profiler.chosen[0].pc, kCode + 4);
    EXPECT_TRUE(profiler.chosen[0].exception);
    EXPECT_FALSE(profiler.chosen[0].retired);
  }
}

TEST_F(ProfilingTest, KernelWorkIsProfiledAtItsAddresses) {
  OneCore core;
  EveryNth profiler(97, true);
  core.engine.set_profiler(&profiler);
  std::map<u64, u32> kinds_by_pc;
  u64 loads = 0, branches = 0;
  for (int i = 0; i < 97; ++i) {
    for (const KernelWork work : {KernelWork::system_call, KernelWork::timer_tick}) core.engine.run_kernel(work);
  }
  EXPECT_EQ(core.kernel(Signal::sample_pop), core.kernel(Signal::inst_retired));
  EXPECT_EQ(profiler.chosen.size(), core.kernel(Signal::inst_retired) / 97);
  for (const Operation& operation : profiler.chosen) {
    EXPECT_EQ(operation.level, Level::kernel);
    EXPECT_GE(operation.pc, kernel_address(KernelWork::system_call));
    EXPECT_EQ(operation.accessed, operation.is_memory());
    const u32 meaning = operation.instruction.traits << 3 | static_cast<u32>(operation.instruction.branch);
    EXPECT_EQ(kinds_by_pc.emplace(operation.pc, meaning).first->second, meaning);
    loads += u64{operation.instruction.is(Trait::load)};
    branches += u64{operation.is_branch()};
  }
  const auto share = [&](u64 count) {
    return static_cast<double>(count) / static_cast<double>(profiler.chosen.size());
  };
  EXPECT_NEAR(
      share(loads),
      static_cast<double>(core.kernel(Signal::ld_spec)) / static_cast<double>(core.kernel(Signal::inst_retired)), 0.03);
  EXPECT_NEAR(
      share(branches),
      static_cast<double>(core.kernel(Signal::br_retired)) / static_cast<double>(core.kernel(Signal::inst_retired)),
      0.03);
}

// Compares OperationTotals, which tests use as the truth, with the signals.
TEST_F(ProfilingTest, TotalsAgreeWithTheSignals) {
  for (const Program& program : kProfiledPrograms) {
    OneCore core;
    core.engine.keep_operations();
    prepare(core, program);
    EXPECT_EQ(core.resume().reason, StopReason::kernel_call);
    u64 executed = 0, mispredicts = 0, walks = 0;
    for (const auto& [kind, count] : core.engine.operations().all()) {
      executed += count;
      if (kind.mispredicted) mispredicts += count;
      if (kind.walk) walks += count;
    }
    EXPECT_EQ(executed, core.user(Signal::inst_retired)) << program.name;
    EXPECT_EQ(mispredicts, core.user(Signal::br_mis_pred)) << program.name;
    EXPECT_EQ(walks, core.user(Signal::dtlb_walk)) << program.name;
  }
}

}  // namespace
}  // namespace wperf::sim
