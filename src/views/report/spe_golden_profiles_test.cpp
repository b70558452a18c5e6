// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/spe_golden_profiles.h"

#include <utility>

#include "views/report/sample_golden_profiles.h"

namespace wperf::report::testing {
namespace {

using operations::AccessCounts;
using operations::SpeProfile;

constexpr u64 kProgram = 0x7ff7a2b10000, kLibrary = 0x7ffa10000000;
constexpr u32 kMul = 0, kMain = 1, kOther = 4;  // symbols
constexpr u32 kOtherPlace = 0, kMainPlace = 1, kStorePlace = 2, kMulPlace = 3;

answers::CountRow counted(std::string name, u64 value) {
  answers::CountRow row;
  row.name = std::move(name);
  row.note = "e";
  row.value = row.scaled = value;
  row.slots = row.rounds = 10;
  return row;
}

AccessCounts counts_of(u64 loads, u64 stores, u64 cycles, operations::Latencies latency) {
  AccessCounts counts;
  counts.hits = loads + stores;
  counts.loads = loads;
  counts.stores = stores;
  counts.latency_sum = cycles;
  counts.latency = latency;
  counts.latency.hits = counts.hits;
  counts.latency.mean = static_cast<double>(cycles) / static_cast<double>(counts.hits);
  counts.issue = 3.25;
  counts.translation = 1.5;
  return counts;
}

operations::SourceRow source(std::string name, std::string title, AccessCounts counts,
                             std::vector<operations::LatencyBucket> histogram) {
  operations::SourceRow row;
  row.given = !title.empty();
  row.name = std::move(name);
  row.title = std::move(title);
  row.counts = counts;
  row.histogram = std::move(histogram);
  return row;
}

operations::MemoryProfile memory_of() {
  operations::MemoryProfile memory;
  memory.all = counts_of(180, 40, 9000, {.p50 = 4, .p90 = 183, .p99 = 403, .longest = 4095});
  memory.sources = {
      source("l1", "level 1 data cache", counts_of(150, 0, 600, {.p50 = 4, .p90 = 4, .p99 = 5, .longest = 9}),
             {{.first = 4, .last = 7, .hits = 149}, {.first = 8, .last = 15, .hits = 1}}),
      source("dram", "memory", counts_of(30, 0, 8160, {.p50 = 183, .p90 = 403, .p99 = 4095, .longest = 4095}),
             {{.first = 128, .last = 255, .hits = 25},
              {.first = 256, .last = 511, .hits = 4},
              {.first = 512, .last = 1023},
              {.first = 1024, .last = 2047},
              {.first = 2048, .last = 4095, .hits = 1}}),
      source("stores, no source", "", counts_of(0, 40, 240, {.p50 = 6, .p90 = 6, .p99 = 6, .longest = 6}),
             {{.first = 4, .last = 7, .hits = 40}})};
  memory.histogram = {{.first = 4, .last = 7, .hits = 189},
                      {.first = 8, .last = 15, .hits = 1},
                      {.first = 16, .last = 31},
                      {.first = 32, .last = 63},
                      {.first = 64, .last = 127},
                      {.first = 128, .last = 255, .hits = 25},
                      {.first = 256, .last = 511, .hits = 4},
                      {.first = 512, .last = 1023},
                      {.first = 1024, .last = 2047},
                      {.first = 2048, .last = 4095, .hits = 1}};
  AccessCounts in_mul = counts_of(180, 20, 8880, {.p50 = 4, .p90 = 183, .p99 = 403, .longest = 4095});
  in_mul.refills = 30;
  in_mul.walks = 5;
  const AccessCounts in_main = counts_of(0, 20, 120, {.p50 = 6, .p90 = 6, .p99 = 6, .longest = 6});
  memory.functions = {{.symbol = kMul, .counts = in_mul, .slowest_source = 1},
                      {.symbol = kMain, .counts = in_main, .slowest_source = 2}};
  memory.code_lines = {
      {.symbol = kMul, .file = 0, .line = 2, .address = kLibrary + 0x1034, .counts = in_mul, .slowest_source = 1},
      {.symbol = kMain, .address = kProgram + 0x1100, .counts = in_main, .slowest_source = 2}};
  memory.pages = {
      {.address = 0x1d000000000, .hits = 200, .stores = 20, .refills = 30, .walks = 5, .mean_latency = 44.4}};
  memory.lines = {{.address = 0x1d000000040,
                   .hits = 60,
                   .stores = 40,
                   .refills = 30,
                   .peer = 12,
                   .mean_latency = 44.4,
                   .threads = 2,
                   .place = kMulPlace},
                  {.address = 0xffff800000000000, .hits = 1, .place = kOtherPlace}};
  memory.walks = {{.place = kMulPlace, .hits = 200, .walks = 5, .translation = 12.5}};
  memory.branches = {{.place = kMainPlace,
                      .conditional = true,
                      .hits = 40,
                      .mispredicted = 10,
                      .not_taken = 25,
                      .top_target = kLibrary + 0x1034,
                      .top_target_place = kMulPlace,
                      .top_target_hits = 15,
                      .targets = 1},
                     {.place = kMulPlace, .indirect = true, .hits = 4, .mispredicted = 1, .not_taken = 4},
                     {.place = kStorePlace, .hits = 40}};
  memory.shared = {{.address = 0x1d000000040,
                    .hits = 60,
                    .refills = 30,
                    .peer = 12,
                    .mean_latency = 44.4,
                    .threads = 2,
                    .without_place = 3,
                    .same_offset = true,
                    .places = {{.place = kMulPlace,
                                .thread = 4712,
                                .offset = 0,
                                .hits = 37,
                                .stores = 20,
                                .refills = 20,
                                .peer = 12,
                                .mean_latency = 60},
                               {.place = kStorePlace,
                                .thread = 4713,
                                .offset = 8,
                                .hits = 20,
                                .stores = 20,
                                .refills = 10,
                                .mean_latency = 20.5}}}};
  memory.limits = {.saturated = 1,
                   .stores_without_source = 40,
                   .threads_known = true,
                   .forgotten_lines = 1200,
                   .forgotten_pages = 7,
                   .line_count = 2,
                   .page_count = 1};
  return memory;
}

}  // namespace

compat::CompatView view_of(const SpeProfile& profile) {
  compat::CompatView view = two_events_sampled();
  view.run = profile.run;
  view.events.resize(2);
  std::swap(view.events[0], view.events[1]);
  const char* const names[] = {
      "LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-access+level1-data-cache-refill+tlb_access",
      "BRANCH_OR_EXCEPTION-CONDITIONAL-DIRECT/retired+mispredicted"};
  for (usize i = 0; i < 2; ++i) {
    compat::SampledEvent& event = view.events[i];
    event.name = names[i];
    event.code = 0;
    event.interval = 0;
    event.fixed = false;
  }
  return view;
}

SpeProfile loads_and_branches() {
  SpeProfile profile;
  const compat::CompatView view = two_events_sampled();
  u64 records = 0;
  for (const compat::SampledEvent& event : view.events) records += event.samples;
  for (const compat::Symbol& symbol : view.symbols) {
    stacks::StackFunction& function = profile.samples.functions.emplace_back();
    function.name = compat::bare_name(symbol);
    function.module = symbol.module;
    function.is_known = symbol.kind == compat::SymbolKind::function;
  }
  for (const compat::SourceFile& file : view.files) profile.samples.texts.push_back(file.path);
  profile.run = view.run;
  profile.run.cores = {{.core = 1, .generated = records}};
  profile.cores = {{.core = 1, .records = records}};
  profile.places = {{.address = 0, .symbol = kOther},
                    {.address = kProgram + 0x1100, .symbol = kMain, .module = 0},
                    {.address = kProgram + 0x1104, .symbol = kMain, .module = 0, .file = 1, .line = 78},
                    {.address = kLibrary + 0x1034, .symbol = kMul, .module = 1, .file = 0, .line = 2}};
  profile.population = {.operations = 500'000, .chosen = 481, .recorded = 481};
  return profile;
}

answers::CountProfile population_counted() {
  answers::CountProfile profile;
  profile.vendor = "Arm Limited";
  profile.core_count = 1;
  profile.elapsed_seconds = 3.334;
  answers::ClassCounts& counts = profile.classes[static_cast<usize>(EventClass::core)];
  counts.scheduled = true;
  counts.units.resize(1);
  counts.units[0].number = 1;
  counts.units[0].rows = {counted("cycle", 1'000'000), counted("sample_pop", 500'000), counted("sample_feed", 481),
                          counted("sample_filtrate", 481), counted("sample_collision", 0)};
  for (u16 i = 0; i < 4; ++i) counts.units[0].rows[i + 1U].code = static_cast<u16>(0x4000 + i);
  return profile;
}

SpeProfile memory_sampled() {
  SpeProfile profile = loads_and_branches();
  profile.run.cores[0].generated += 19;
  profile.run.cores[0].lost_ring_full = 19;
  profile.cores[0].full = 2;
  profile.cores[0].stopped_ns = 1'234'567;
  profile.cores[0].bad_bytes = 3;
  profile.cores[0].damaged = 1;
  profile.population = {.operations = 500'000, .chosen = 1000, .recorded = 500, .collided = 250};
  profile.memory = memory_of();
  return profile;
}

}  // namespace wperf::report::testing
