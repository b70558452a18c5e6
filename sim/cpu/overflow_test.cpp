// SPDX-License-Identifier: BSD-3-Clause
// A run that watches events stops for exactly the instruction that reached the count. The oracle is plain Unicorn with
// a hook at every instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/cpu/core_engine.h"
#include "sim/cpu/event_terms.h"
#include "sim/cpu/instruction_class.h"
#include "sim/cpu/test_programs.h"
#include "sim/cpu/unicorn_cpu.h"
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {
namespace {

using test::kCode;
using test::kData;
using test::OneCore;
using test::Program;

constexpr u16 kLoads = 0x70, kStores = 0x71, kInstructions = 0x08, kCycles = 0x11, kTaken = 0x0c, kNotTaken = 0x8107;
constexpr u16 kReturns = 0x0e, kMispredicts = 0x22, kRefills = 0x03, kReads = 0x40, kMicroOps = 0x3a;

struct Sample {
  u64 pc = 0, lr = 0, fp = 0;
  bool operator==(const Sample&) const = default;
};

const Program kWatchedPrograms[] = {
    {"exact", test::kExact, 0, kData},          {"vectors", test::kVectors, 40, kData},
    {"exclusive", test::kExclusive, 0, kData},  {"branchy", test::kBranchy, 700, 0},
    {"multiply", test::kMultiply, 20, kData},   {"fibonacci", test::kFibonacci, 10, 0},
    {"links", test::kLinks, 60, kData + 0x100}, {"triad", test::kTriad, 4000, kData},
};

// Each instruction of the program with x30 before it; the last one is the SVC.
struct Step : Sample {
  u32 word = 0;
};
class Trace {
 public:
  explicit Trace(const Program& program) : cpu_(*unicorn()), registers_(*unicorn(), cpu_.handle()) {
    cpu_.add_hook(UC_HOOK_CODE, reinterpret_cast<void*>(&on_instruction), this);
    cpu_.add_hook(UC_HOOK_INTR, reinterpret_cast<void*>(&on_exception), this);
    prepare(core_, program);
    EXPECT_TRUE(cpu_.refresh(core_.space));
    registers_.load(core_.thread);
    cpu_.library().emu_start(cpu_.handle(), core_.thread.pc, ~u64{0} - 3, 0, 0);
  }
  std::vector<Step> steps;

 private:
  static void on_instruction(uc_engine*, u64 address, u32, void* self) {
    auto* const trace = static_cast<Trace*>(self);
    Step step;
    step.pc = address;
    step.lr = trace->registers_.read(UC_ARM64_REG_X30);
    step.fp = trace->registers_.read(UC_ARM64_REG_X29);
    trace->core_.space.read(address, &step.word, sizeof step.word);
    trace->steps.push_back(step);
  }
  static void on_exception(uc_engine* cpu, u32, void* self) { static_cast<Trace*>(self)->cpu_.library().emu_stop(cpu); }

  OneCore core_;
  UnicornCpu cpu_;
  UnicornRegisters registers_;
};

// For events that count instructions: the sample to which each count belongs.
std::vector<Sample> counts_of(const std::vector<Step>& steps, u16 event) {
  std::vector<Sample> result;
  for (usize i = 0; i < steps.size(); ++i) {
    const Instruction instruction = classify_instruction(steps[i].word);
    const bool jumped = i + 1 < steps.size() && steps[i + 1].pc != steps[i].pc + 4;
    u64 times = 0;
    switch (event) {
      case kInstructions:
        times = 1;
        break;
      case kMicroOps:
        times = instruction.micro_ops;
        break;
      case kLoads:
        times = instruction.is(Trait::load);
        break;
      case kStores:
        times = instruction.is(Trait::store);
        break;
      case kReturns:
        times = instruction.is(Trait::branch_return);
        break;
      case kTaken:
        times = instruction.branch != BranchKind::none && jumped;
        break;
      case kNotTaken:
        times = instruction.branch != BranchKind::none && !jumped;
        break;
      default:
        ADD_FAILURE();
    }
    for (; times != 0; --times) result.push_back({steps[i].pc, steps[i].lr, steps[i].fp});
  }
  return result;
}

// Samples a program as a driver does. Counts beyond an overflow belong to the next interval.
class Sampler {
 public:
  Sampler(OneCore& core, u16 event, u64 interval) : core_(core), event_(event), interval_(interval), next_(interval) {}

  // Runs the program to its end. Returns (count, sample) for each count that was reached.
  std::map<u64, Sample> run(u64 slice = ~u64{0}) {
    std::map<u64, Sample> samples;
    for (;;) {
      const EventWatch watch{event_, next_ - count()};
      const Stop stop = core_.engine.run(core_.space, core_.thread, slice, {&watch, 1});
      EXPECT_EQ(stop.overflowed, count() >= next_) << std::hex << event_;
      EXPECT_TRUE(stop.reason != StopReason::overflow || stop.overflowed);
      EXPECT_NE(stop.reason, StopReason::fault) << stop.text;
      if (stop.overflowed) samples[next_] = {stop.overflow_pc, stop.overflow_lr, stop.overflow_fp};
      while (next_ <= count()) next_ += interval_;
      if (stop.reason == StopReason::kernel_call || stop.reason == StopReason::fault) return samples;
    }
  }
  u64 count() const { return event_value(core_.engine.signals(), Level::user, event_); }

 private:
  OneCore& core_;
  u16 event_;
  u64 interval_, next_;
};

class Overflow : public testing::Test {
 protected:
  void SetUp() override {
    if (!CoreEngine::unavailable().empty()) GTEST_SKIP() << CoreEngine::unavailable();
  }
};

TEST_F(Overflow, BelongsToTheInstructionThatReachedTheCount) {
  for (const Program& program : kWatchedPrograms) {
    const Trace trace(program);
    for (const u16 event : {kInstructions, kMicroOps, kLoads, kStores, kReturns, kTaken, kNotTaken}) {
      const std::vector<Sample> expected = counts_of(trace.steps, event);
      for (const u64 interval : {1, 2, 7, 23, 100}) {
        for (const u64 slice : {~u64{0}, u64{9}}) {
          OneCore core;
          prepare(core, program);
          Sampler sampler(core, event, interval);
          const std::map<u64, Sample> samples = sampler.run(slice);
          ASSERT_EQ(sampler.count(), expected.size()) << program.name << std::hex << " event " << event;
          EXPECT_EQ(samples.empty(), expected.size() < interval);
          for (const auto& [count, sample] : samples) {
            ASSERT_EQ(sample, expected[count - 1])
                << program.name << std::hex << " event " << event << std::dec << " count " << count << " interval "
                << interval << std::hex << " pc " << sample.pc << " lr " << sample.lr << " not "
                << expected[count - 1].pc << ' ' << expected[count - 1].lr;
          }
        }
      }
    }
  }
}

// Any event that can be watched, and several at a time.
TEST_F(Overflow, IsNeverMissedWhateverTheEvent) {
  for (const Program& program : kWatchedPrograms) {
    for (u32 code = 0; code < 0x8200; ++code) {
      const auto event = static_cast<u16>(code);
      if (!event_is_modelled(event)) continue;
      OneCore plain;
      prepare(plain, program);
      EXPECT_EQ(plain.resume().reason, StopReason::kernel_call);
      const u64 total = event_value(plain.engine.signals(), Level::user, event);
      OneCore core;
      prepare(core, program);
      Sampler sampler(core, event, std::max<u64>(1, total / 13));
      const auto samples = sampler.run();  // checks each stop
      EXPECT_GE(samples.size(), std::min<u64>(total, 1)) << std::hex << event;
      for (const auto& [count, sample] : samples) {
        EXPECT_LT(sample.pc - kCode, program.code.size_bytes()) << program.name << std::hex << ' ' << event;
        EXPECT_EQ(sample.pc % 4, 0u);
      }
      // Stopping in between does not change the program's behaviour, and hardly changes its cost.
      EXPECT_EQ(core.user(Signal::inst_retired), plain.user(Signal::inst_retired));
      EXPECT_EQ(core.user(Signal::l1d_cache_rd), plain.user(Signal::l1d_cache_rd));
      EXPECT_EQ(core.user(Signal::br_mis_pred), plain.user(Signal::br_mis_pred));
      EXPECT_EQ(core.user(Signal::l1d_cache_refill_rd), plain.user(Signal::l1d_cache_refill_rd));
      EXPECT_EQ(core.user(Signal::cycles), plain.user(Signal::cycles));
    }
  }
}

// Usually a run watches single blocks only shortly before an overflow. While totals are kept, it does so all the time.
TEST_F(Overflow, IsTheSameWhetherItWasFarOrNear) {
  const Program programs[] = {{"multiply", test::kMultiply, 90, kData},      {"triad", test::kTriad, 20'000, kData},
                              {"chase", test::kChase, kData, 20'000},        {"branchy", test::kBranchy, 20'000, 0},
                              {"fibonacci", test::kFibonacci, 17, 0},        {"vectors", test::kVectors, 9'000, kData},
                              {"links", test::kLinks, 9'000, kData + 0x100}, {"gather", test::kGather, 900, kData}};
  for (const Program& program : programs) {
    const auto make = [&program] {
      auto core = std::make_unique<OneCore>(4 << 20);
      prepare(*core, program);
      if (program.code.data() == test::kChase) core->make_ring(2 << 20);
      if (program.code.data() == test::kTriad) {
        core->thread.x[2] = kData + (1 << 20) + 28;  // unaligned: lines are crossed
        core->thread.x[3] = kData + (2 << 20);
      }
      if (program.code.data() == test::kBranchy) core->thread.x[2] = 88172645463325252;
      return core;
    };
    const auto plain = make();
    EXPECT_EQ(plain->resume().reason, StopReason::kernel_call);
    for (u32 code = 0; code < 0x8200; ++code) {
      const auto event = static_cast<u16>(code);
      const u64 total = event_value(plain->engine.signals(), Level::user, event);
      if (total == 0) continue;
      const auto far = make(), near = make();
      near->engine.keep_totals({&event, 1});
      const u64 interval = std::max<u64>(1, total / 7);
      ASSERT_EQ(Sampler(*far, event, interval).run(), Sampler(*near, event, interval).run())
          << program.name << std::hex << " event " << event;
    }
  }
}

TEST_F(Overflow, WatchingWithoutOverflowChangesNothing) {
  for (const Program& program : kWatchedPrograms) {
    OneCore plain, watched;
    prepare(plain, program);
    prepare(watched, program);
    EXPECT_EQ(plain.resume().reason, StopReason::kernel_call);
    const EventWatch watches[] = {{kCycles, ~u64{0}}, {kRefills, u64{1} << 40}, {kLoads, u64{1} << 40}};
    const Stop stop = watched.engine.run(watched.space, watched.thread, ~u64{0}, watches);
    EXPECT_EQ(stop.reason, StopReason::kernel_call);
    EXPECT_FALSE(stop.overflowed);
    EXPECT_EQ(watched.engine.signals().at, plain.engine.signals().at) << program.name;
    EXPECT_EQ(watched.thread.x, plain.thread.x) << program.name;
  }
}

TEST_F(Overflow, FirstOverflowOfBlockIsReported) {
  OneCore core;
  prepare(core, kWatchedPrograms[0]);
  // In the 10th iteration ldr is the first instruction, str the third.
  const EventWatch watches[] = {{kStores, 10}, {kLoads, 10}, {0x1234, 1}, {kInstructions, 1000}};
  const Stop stop = core.engine.run(core.space, core.thread, ~u64{0}, watches);
  EXPECT_EQ(stop.reason, StopReason::overflow);
  EXPECT_EQ(stop.overflow_pc, kCode + 4);
  EXPECT_EQ(core.user(Signal::st_spec), 10u);
  EXPECT_EQ(core.thread.pc, kCode + 4) << "the next block was not begun";
  EXPECT_EQ(core.user(Signal::inst_retired), 1u + 10 * 5);
}

TEST_F(Overflow, InTheBlockOfASystemCallComesWithIt) {
  OneCore core;
  prepare(core, {"patched", test::kPatched, 0, 0});
  const EventWatch watch{kInstructions, 2};
  const Stop stop = core.engine.run(core.space, core.thread, ~u64{0}, {&watch, 1});
  EXPECT_EQ(stop.reason, StopReason::kernel_call);
  EXPECT_TRUE(stop.overflowed);
  EXPECT_EQ(stop.overflow_pc, kCode + 4);
  EXPECT_EQ(stop.overflow_lr, 0x1111u);
}

TEST_F(Overflow, FaultingInstructionDoesNotOverflow) {
  for (const u64 remaining : {2, 3}) {
    OneCore core;
    prepare(core, {"fault", test::kFaultRead, 0, 0});
    core.thread.x[9] = 0x10;
    const EventWatch watch{kInstructions, remaining};
    const Stop stop = core.engine.run(core.space, core.thread, ~u64{0}, {&watch, 1});
    EXPECT_EQ(stop.reason, StopReason::fault);
    EXPECT_EQ(core.user(Signal::inst_retired), 2u);
    EXPECT_EQ(stop.overflowed, remaining == 2);
  }
}

// For time and cache misses a trace does not give an exact instruction, but it shows the true share of each
// instruction.
struct Where {
  u16 event;
  u64 interval;  // longer than the longest single step
  const Program program;
  std::map<u64, double> shares;  // by index of the instruction
};

TEST_F(Overflow, TimeAndMissesBelongToTheInstructionsThatHaveThem) {
  const u64 x1 = kData;
  const Where cases[] = {
      {kRefills, 17, {"chase", test::kChase, kData, 20'000}, {{0, 1.0}}},
      {kReads, 17, {"triad", test::kTriad, 20'000, x1}, {{0, 0.5}, {1, 0.5}}},
      {kMispredicts, 3, {"branchy", test::kBranchy, 20'000, 0}, {{3, 1.0}}},
      // 3 of 4 micro-ops take a quarter of a cycle, the divide 8 cycles more: 8.25 of 8.25 + 9 * 0.25 + 3 * 0.25.
      {kCycles, 17, {"vectors", test::kVectors, 20'000, x1}, {{3, 8.25 / 11.25}, {0, 0.5 / 11.25}, {1, 0.25 / 11.25}}},
      // The load waits for DRAM.
      {kCycles, 1009, {"chase", test::kChase, kData, 20'000}, {{0, 1.0}}},
      {0x24, 17, {"vectors", test::kVectors, 20'000, x1}, {{3, 1.0}}},
  };
  for (const Where& each : cases) {
    OneCore core(32 << 20);
    prepare(core, each.program);
    core.thread.x[2] = each.event == kMispredicts ? 88172645463325252 : kData + (8 << 20);
    core.thread.x[3] = kData + (16 << 20);
    if (each.program.code.data() == test::kChase) core.make_ring(32 << 20);
    Sampler sampler(core, each.event, each.interval);
    std::map<u64, double> shares;
    const auto samples = sampler.run();
    ASSERT_GT(samples.size(), 1000u) << each.program.name;
    for (const auto& [count, sample] : samples)
      shares[(sample.pc - kCode) / 4] += 1.0 / static_cast<double>(samples.size());
    for (const auto& [index, share] : each.shares)
      EXPECT_NEAR(shares[index], share, 0.02) << each.program.name << ' ' << each.event << ' ' << index;
  }
}

TEST_F(Overflow, TotalsOfBlocksAddUpToTheSignals) {
  const u16 events[] = {kInstructions, kLoads, kCycles, kRefills, kMispredicts, kNotTaken, 0x6e, 0x24};
  for (const Program& program : kWatchedPrograms) {
    OneCore core;
    prepare(core, program);
    core.engine.keep_totals(events);
    EXPECT_EQ(core.resume(50).reason, StopReason::kernel_call);
    std::map<u64, u64> instructions;
    for (usize i = 0; i < std::size(events); ++i) {
      u64 sum = 0;
      for (const BlockTotal& total : core.engine.totals().all()) {
        sum += total.counts[i];
        if (events[i] == kInstructions) instructions[total.address] += total.counts[i];
      }
      EXPECT_EQ(sum, event_value(core.engine.signals(), Level::user, events[i])) << program.name << ' ' << events[i];
    }
    OneCore plain;
    prepare(plain, program);
    EXPECT_EQ(plain.resume(50).reason, StopReason::kernel_call);
    EXPECT_EQ(core.engine.signals().at, plain.engine.signals().at) << program.name;
  }
  // The loop of the exact program is one block of five instructions. It is entered once from above and 99 times from
  // its own end.
  OneCore core;
  prepare(core, kWatchedPrograms[0]);
  core.engine.keep_totals(events);
  core.resume();
  for (const BlockTotal& total : core.engine.totals().all()) {
    const u64 expected = total.address == kCode ? 6 : total.address == kCode + 4 ? 99 * 5 : total.counts[0];
    EXPECT_EQ(total.counts[0], expected);
  }
}

TEST_F(Overflow, StacksHaveTheLatestTakenBranches) {
  usize branches = 0;
  for (const Program& program : kWatchedPrograms) {
    std::vector<BranchStacks::Branch> taken;
    const Trace trace(program);
    for (usize i = 0; i + 1 < trace.steps.size(); ++i) {
      const bool jumped = trace.steps[i + 1].pc != trace.steps[i].pc + 4;
      if (jumped) taken.push_back({trace.steps[i].pc, trace.steps[i + 1].pc});
    }
    for (const usize interval : {BranchStacks::kDepth, usize{53}}) {
      OneCore core;
      prepare(core, program);
      core.engine.keep_branches(interval);
      EXPECT_EQ(core.resume(50).reason, StopReason::kernel_call);
      std::vector<BranchStacks::Branch> expected;
      for (usize i = 0; i < taken.size(); ++i) {
        if (i % interval >= interval - BranchStacks::kDepth) expected.push_back(taken[i]);
      }
      EXPECT_EQ(core.engine.branches().all(), expected) << program.name << ' ' << interval;
      branches += expected.size();
    }
  }
  EXPECT_GT(branches, 1000u);
}

}  // namespace
}  // namespace wperf::sim
