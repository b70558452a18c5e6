// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/profile_counts.h"

#include <gtest/gtest.h>

#include "analysis/pgo/judgement.h"

namespace wperf::pgo {
namespace {

TEST(KindOfEvent, NamesOfAllSourcesAreKnown) {
  EXPECT_EQ(kind_of_event("inst_retired"), EventKind::instructions);
  EXPECT_EQ(kind_of_event("instructions:u"), EventKind::instructions);
  EXPECT_EQ(kind_of_event("cpu_cycles"), EventKind::cycles);
  EXPECT_EQ(kind_of_event("cpu_core/cycles/"), EventKind::cycles);
  EXPECT_EQ(kind_of_event("cycle"), EventKind::cycles);
  EXPECT_EQ(kind_of_event("TotalCycles"), EventKind::cycles);
  EXPECT_EQ(kind_of_event("bus_cycles"), EventKind::other);
  EXPECT_EQ(kind_of_event("cpu-clock"), EventKind::timer);
  EXPECT_EQ(kind_of_event("Timer"), EventKind::timer);
  EXPECT_EQ(kind_of_event("br_retired"), EventKind::branches);
  EXPECT_EQ(kind_of_event("l1i_cache_refill"), EventKind::instruction_misses);
  EXPECT_EQ(kind_of_event("l1d_cache_refill"), EventKind::data_misses);
  EXPECT_EQ(kind_of_event("ld_spec"), EventKind::other);
}

ProfileCounts with_events(std::initializer_list<std::pair<std::string_view, u64>> events) {
  ProfileCounts counts;
  for (const auto& [name, samples] : events)
    counts.events[counts.event_of(name, kind_of_event(name))].samples = samples;
  return counts;
}

TEST(ChosenEvents, InstructionsAreBetterThanCyclesAndATimer) {
  EXPECT_EQ(chosen_events(with_events({{"cpu-clock", 900}, {"cycles", 500}, {"inst_retired", 3}})),
            std::vector<u32>{2});
  EXPECT_EQ(chosen_events(with_events({{"cpu-clock", 900}, {"cycles", 500}, {"inst_retired", 0}})),
            std::vector<u32>{1});
}

TEST(ChosenEvents, EventsOfTheBestKindAreAddedUpButOthersAreNot) {
  EXPECT_EQ(chosen_events(with_events({{"cpu_core/cycles/", 10}, {"ld_spec", 90}, {"cpu_atom/cycles/", 20}})),
            (std::vector<u32>{0, 2}));
  EXPECT_EQ(chosen_events(with_events({{"ld_spec", 10}, {"st_spec", 20}})), std::vector<u32>{1});
  EXPECT_TRUE(chosen_events(with_events({{"cycles", 0}})).empty());
}

Binary two_functions() {
  Binary binary;
  binary.name = "program";
  binary.functions[0x100] = {.name = "hot", .end = 0x140, .elf_symbol = {}};
  binary.functions[0x200] = {.name = "cold", .end = 0x300, .elf_symbol = {}};
  binary.samples[0] = {{0x110, 90}, {0x104, 6}, {0x200, 2}};
  binary.samples[1] = {{0x110, 1}, {0x400, 1}};
  return binary;
}

TEST(CountsOf, EventsAreAddedUpByAddress) {
  using Samples = std::vector<compiler_profiles::AddressCount>;
  EXPECT_EQ(counts_of(two_functions(), {0}).samples, (Samples{{0x104, 6}, {0x110, 90}, {0x200, 2}}));
  EXPECT_EQ(counts_of(two_functions(), {0, 1}).samples, (Samples{{0x104, 6}, {0x110, 91}, {0x200, 2}, {0x400, 1}}));
  EXPECT_EQ(samples_in(two_functions(), {0, 1}), 100);
}

TEST(CountsOf, PeriodsAreWeights) {
  Binary binary = two_functions();
  using Samples = std::vector<compiler_profiles::AddressCount>;
  EXPECT_EQ(weighted_by_periods(counts_of(binary, {0}), binary, {0}).samples, counts_of(binary, {0}).samples);
  binary.weighted[0] = {{0x110, 9.4}, {0x104, 88.6}, {0x200, 0.1}};
  EXPECT_EQ(weighted_by_periods(counts_of(binary, {0}), binary, {0}).samples,
            (Samples{{0x104, 89}, {0x110, 9}, {0x200, 1}}));
  EXPECT_EQ(weighted_by_periods(counts_of(binary, {0, 1}), binary, {0, 1}).samples,
            (Samples{{0x104, 89}, {0x110, 10}, {0x200, 1}, {0x400, 1}}));
  EXPECT_EQ(counts_of(binary, {0}).samples, (Samples{{0x104, 6}, {0x110, 90}, {0x200, 2}}));
}

TEST(FunctionAt, TheEndIsOutside) {
  const Binary binary = two_functions();
  u64 begin = 0;
  ASSERT_NE(function_at(binary, 0x13f, begin), nullptr);
  EXPECT_EQ(begin, 0x100);
  EXPECT_EQ(function_at(binary, 0x140, begin), nullptr);
  EXPECT_EQ(function_at(binary, 0xff, begin), nullptr);
}

TEST(Judge, TheThinnestHotFunctionDecides) {
  const Binary binary = two_functions();
  const Judgement dense = judge(binary, counts_of(binary, {0, 1}));
  EXPECT_EQ(dense.samples, 100);
  EXPECT_EQ(dense.outside, 1);
  EXPECT_EQ(dense.functions, 2);
  EXPECT_EQ(dense.hot_functions, 1);
  EXPECT_EQ(dense.hottest, "hot");
  EXPECT_NEAR(dense.hottest_percent, 97, 1e-9);
  EXPECT_NEAR(dense.density, 97.0 / 16, 1e-9);
  EXPECT_EQ(dense.longer, 0);
}

TEST(Judge, PeriodsDecideWhichFunctionIsHottest) {
  Binary binary = two_functions();
  binary.weighted[0] = {{0x110, 1}, {0x104, 1}, {0x200, 98}};
  const Judgement judged =
      judge(binary, counts_of(binary, {0}), weighted_by_periods(counts_of(binary, {0}), binary, {0}));
  EXPECT_EQ(judged.hottest, "cold");
  EXPECT_NEAR(judged.hottest_percent, 98, 1e-9);
  EXPECT_NEAR(judged.density, 96.0 / 16, 1e-9);
}

TEST(Judge, TooFewSamplesAskForALongerRecording) {
  Binary binary = two_functions();
  binary.samples[0] = {{0x110, 4}, {0x204, 4}};
  const Judgement thin = judge(binary, counts_of(binary, {0}));
  EXPECT_EQ(thin.hot_functions, 2);
  EXPECT_EQ(thin.thinnest, "cold");
  EXPECT_NEAR(thin.density, 4.0 / 64, 1e-9);
  EXPECT_NEAR(thin.longer, 16, 1e-9);
}

TEST(Judge, FunctionsOfUnknownBoundsHaveNoDensity) {
  Binary binary;
  binary.samples[0] = {{0x10, 3}, {0x20, 1}};
  binary.boundless = {{"loop", 3}, {"other", 1}};
  const Judgement judged = judge(binary, counts_of(binary, {0}));
  EXPECT_EQ(judged.functions, 2);
  EXPECT_EQ(judged.hot_functions, 0);
  EXPECT_EQ(judged.hottest, "loop");
  EXPECT_NEAR(judged.hottest_percent, 75, 1e-9);
  EXPECT_EQ(judged.longer, 0);
}

TEST(Judge, RangesCountTheirInstructions) {
  Binary binary = two_functions();
  binary.ranges[{0x100, 0x13c}] = 3;
  const Judgement judged = judge(binary, counts_of(binary, {0}));
  EXPECT_EQ(judged.samples, 3);
  EXPECT_NEAR(judged.density, 3, 1e-9);
}

TEST(BinaryOf, BuildIdsAndPathsTellBinariesApart) {
  ProfileCounts counts;
  counts.binary_of({.name = "a", .path = "/x/a", .reason = {}, .build_id = "01"}, nullptr).without_address = 1;
  counts.binary_of({.name = "a", .path = "/y/a", .reason = {}, .build_id = "01"}, nullptr).without_address += 1;
  counts.binary_of({.name = "a", .path = "/x/a", .reason = {}, .build_id = "02"}, nullptr);
  counts.binary_of({.name = "b", .path = "/x/b", .reason = {}}, nullptr);
  counts.binary_of({.name = "b", .path = "/y/b", .reason = {}}, nullptr);
  ASSERT_EQ(counts.binaries.size(), 4);
  EXPECT_EQ(counts.binaries[0].without_address, 2);
}

TEST(AddSamples, SamplesWithoutAFileAreCountedByReason) {
  recording::RecordedSamples recorded;
  stacks::StackProfile& profile = recorded.profile;
  profile.events = {{.name = "cycles"}, {.name = "load"}, {.name = "store"}};
  profile.modules = {{.name = "[kernel]", .path = {}, .reason = {}},
                     {.name = "[unknown]", .path = {}, .reason = {}, .is_nowhere = true},
                     {.name = "[JIT] pid 7", .path = {}, .reason = {}}};
  profile.functions = {{.name = "k", .module = 0, .is_known = true, .is_kernel = true},
                       {.name = "u", .module = 1},
                       {.name = "j", .module = 2, .is_known = true}};
  profile.places = {{0}, {1}, {2}};
  profile.nodes = {{}, {0, 0}, {0, 1}, {0, 2}};
  profile.site_of_node.assign(4, stacks::kNothing);
  for (u32 node = 0; node < 4; ++node) {
    profile.samples.push_back({.event = node == 3 ? 2u : node == 2 ? 1u : 0u, .node = node, .count = node + 1});
  }
  ProfileCounts counts;
  add_samples(recorded, 1, counts);
  EXPECT_EQ(counts.samples, 10);
  EXPECT_EQ(counts.drops.kernel, 2);
  EXPECT_EQ(counts.drops.nowhere, 1 + 3);
  EXPECT_EQ(counts.drops.jit_code, 4);
  ASSERT_EQ(counts.events.size(), 2);
  EXPECT_EQ(counts.events[1].name, kOperations);
  EXPECT_EQ(counts.events[1].samples, 7);
  EXPECT_EQ(counts.events[1].kind, EventKind::instructions);
}

TEST(Judgement, KnowsNamesOfRust) {
  EXPECT_TRUE(is_rust_name("_ZN3toy3run17h17a8ccfdf0ea72b7E"));
  EXPECT_TRUE(is_rust_name("_RNvCsg1_3toy3run"));
  EXPECT_FALSE(is_rust_name("_ZN3toy3run17hnohashnohashnohE"));
  EXPECT_FALSE(is_rust_name("_ZN3toy3runEv"));
  EXPECT_FALSE(is_rust_name("run"));
}

}  // namespace
}  // namespace wperf::pgo
