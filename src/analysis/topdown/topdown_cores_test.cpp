// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/topdown/topdown_cores.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"

namespace wperf::topdown {
namespace {

constexpr u64 kC1Ultra = 0x411fd8c0, kC1Nano = 0x410fd8a0;

class SomeKernel final : public plan::KernelEvents {
 public:
  diag::Result<std::optional<plan::KernelEvent>> find(std::string_view) const override {
    return std::optional<plan::KernelEvent>{};
  }
  bool counts_catalogue() const override { return true; }
  explicit SomeKernel(bool has_counters = true) : has_counters_(has_counters) {}
  bool has_counters() const override { return has_counters_; }
  std::string why_no_cycles() const override { return has_counters_ ? "" : "this system has no hardware counters"; }
  std::vector<Word> words(bool) const override { return {}; }

 private:
  bool has_counters_;
};

plan::Capabilities machine_of(std::vector<u64> cores, bool by_kernel) {
  plan::Capabilities machine;
  machine.midr = cores.front();
  machine.core_count = static_cast<u32>(cores.size());
  machine.core_midr = std::move(cores);
  if (by_kernel) machine.kernel = std::make_shared<SomeKernel>();
  return machine;
}

request::Measurement of_program() {
  request::Measurement request;
  request.program = request::Program{"prog", "prog", true};
  return request;
}

// "C1-Ultra 0-1; C1-Nano 2", or the error.
std::string kinds_of(const request::Measurement& request, const plan::Capabilities& machine) {
  std::vector<std::string> notes;
  const auto kinds = kinds_with_method(request, machine, notes);
  if (!kinds.has_value()) return kinds.error().text + " | " + kinds.error().hint;
  std::string text;
  for (const KindOfCore& kind : kinds.value())
    text += (text.empty() ? "" : "; ") + std::string(kind.product.title()) + ' ' + text_of(kind.cores);
  return text;
}

TEST(TopdownCores, CountsOfAKernelAreNeverOfTwoKinds) {
  const plan::Capabilities both = machine_of({kC1Ultra, kC1Ultra, kC1Nano}, true);
  const std::string said = kinds_of(of_program(), both);
  EXPECT_NE(said.find(": cores 0-1 (C1-Ultra), cores 2 (C1-Nano) | -c 2 keeps the program"), said.npos) << said;
  request::Measurement process;
  process.process = 7;
  EXPECT_NE(kinds_of(process, both).find("-c 2"), std::string::npos);
  request::Measurement pinned = of_program();
  pinned.cores = {{2, 2}};
  EXPECT_EQ(kinds_of(pinned, both), "C1-Nano 2");
  EXPECT_EQ(kinds_of(of_program(), machine_of({kC1Ultra, kC1Ultra}, true)), "C1-Ultra 0");
  EXPECT_EQ(kinds_of({}, both), "C1-Ultra 0-1; C1-Nano 2") << "a machine has all it has";
}

TEST(TopdownCores, AMachineWithoutCountersIsNoMisuse) {
  plan::Capabilities machine = machine_of({0, 0}, true);
  machine.kernel = std::make_shared<SomeKernel>(false);
  std::vector<std::string> notes;
  const auto refused = kinds_with_method(of_program(), machine, notes);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, diag::ExitCode::no_device);
  EXPECT_EQ(refused.error().text, "top-down counts hardware events: this system has no hardware counters");
  EXPECT_TRUE(refused.error().hint.starts_with("Top-down works on these Arm cores: c1-nano, ")) << refused.error().hint;
}

TEST(TopdownCores, WhatADriverLeavesOutIsSaid) {
  const plan::Capabilities both = machine_of({kC1Ultra, kC1Ultra, kC1Nano}, false);
  EXPECT_EQ(kinds_of(of_program(), both), "C1-Ultra 0");
  const KindOfCore first{.product = plan::product_of_core(both, 0), .cores = {{0, 0}}};
  const std::string note = note_of_other_kinds(first, both);
  EXPECT_TRUE(diag::names_all(note, {"core 0", "cores 2 (C1-Nano)", "-c 2"})) << note;
  EXPECT_EQ(note_of_other_kinds(first, machine_of({kC1Ultra, kC1Ultra}, false)), "");
}

answers::CountProfile counted(std::vector<answers::CountUnit> units) {
  answers::CountProfile profile;
  profile.classes[index_of(EventClass::core)].units = std::move(units);
  return profile;
}

answers::CountUnit core(u32 number, std::vector<answers::CountRow> rows, answers::CycleRow cycle_row) {
  answers::CountUnit made;
  made.number = number;
  made.rows = std::move(rows);
  made.cycle_row = cycle_row;
  return made;
}

answers::CountRow row(std::string name, std::optional<u16> code, u64 value) {
  answers::CountRow made;
  made.name = std::move(name);
  made.code = code;
  made.scaled = value;
  made.low = 0.9 * static_cast<double>(value);
  made.high = 1.1 * static_cast<double>(value);
  made.has_interval = true;
  return made;
}

TEST(TopdownCores, CountsOfOneKindAreAddedAndCyclesOfOthersAreTold) {
  const plan::Capabilities machine = machine_of({kC1Ultra, kC1Ultra, kC1Nano}, false);
  const auto of_core = [](u32 number, u64 cycles) {
    return core(number, {row("cycle", std::nullopt, cycles), row("stall_slot", 0x3f, 10 * cycles)},
                answers::CycleRow::as_events);
  };
  const KindCounts counts =
      counts_of(counted({of_core(0, 100), of_core(1, 200), of_core(2, 5)}), machine, plan::product_of_core(machine, 0));
  ASSERT_EQ(counts.events.size(), 2u);
  EXPECT_EQ(counts.events[0].name, kCycles);
  EXPECT_EQ(counts.events[0].value, 300u);
  EXPECT_EQ(counts.events[1].value, 3000u);
  EXPECT_EQ(counts.events[1].low, 2700u);
  EXPECT_EQ(counts.events[1].high, 3300u);
  EXPECT_TRUE(counts.events[1].bounded);
  EXPECT_EQ(counts.cycles_elsewhere, 5u);
}

TEST(TopdownCores, TheFixedCounterIsLeftOutIfItCountedTheKernelToo) {
  const plan::Capabilities machine = machine_of({kC1Ultra}, false);
  const KindCounts counts = counts_of(counted({core(0, {row("cycle", std::nullopt, 900), row("cpu_cycles", 0x11, 100)},
                                                    answers::CycleRow::with_kernel)}),
                                      machine, plan::product_of_core(machine, 0));
  ASSERT_EQ(counts.events.size(), 1u);
  EXPECT_EQ(counts.events[0].value, 100u);
}

TEST(TopdownCores, AnEventWithoutAnIntervalOnOneCoreHasNone) {
  const plan::Capabilities machine = machine_of({kC1Ultra, kC1Ultra}, false);
  answers::CountRow rare = row("stall_slot", 0x3f, ~u64{0});
  rare.has_interval = false;
  rare.fraction = 0;
  const KindCounts counts = counts_of(counted({core(0, {row("stall_slot", 0x3f, 7)}, answers::CycleRow::as_events),
                                               core(1, {rare}, answers::CycleRow::as_events)}),
                                      machine, plan::product_of_core(machine, 0));
  ASSERT_EQ(counts.events.size(), 1u);
  EXPECT_EQ(counts.events[0].value, ~u64{0});  // a sum that would overflow stops at the largest number
  EXPECT_FALSE(counts.events[0].bounded);
  EXPECT_FALSE(counts.events[0].counted);
}

}  // namespace
}  // namespace wperf::topdown
