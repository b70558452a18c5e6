// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_profile_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "analysis/operations/spe_access_sums.h"
#include "analysis/operations/spe_record_row.h"
#include "formats/spe/contract_names.h"
#include "formats/spe/packets.h"
#include "formats/spe/spe_encoder.h"

namespace wperf::operations {
namespace {

using spe::Aggregator;
using spe::EncodedOperation;
using spe::Origin;
using spe::Record;

constexpr u64 kImage = 0x7ff6'0000'0000, kSystem = 0xfff8'0000'0000'0000;
constexpr u32 kFirst = 0x1000, kSecond = 0x2000, kLeft = 0x3000;  // RVAs of functions
constexpr u64 kRetired = 2, kRefill = 1U << spe::kEventL1dRefill;

Record record_of(const EncodedOperation& operation) {
  spe::SpeEncoder encoder;
  spe::encode_neoverse_record(operation, encoder);
  spe::DecodeState state;
  Record record;
  spe::for_each_record(encoder.bytes(), state, [&](const Record& one) { record = one; });
  return record;
}

EncodedOperation plain(u64 pc) {
  EncodedOperation operation;
  operation.pc = pc;
  return operation;
}

EncodedOperation access(bool store, u64 pc, u64 address, u32 thread, u32 source, u32 latency, u64 events = kRetired) {
  EncodedOperation operation;
  operation.operation_class = spe::kClassMemory;
  operation.payload = store ? 1 : 0;
  operation.pc = pc;
  operation.address = address;
  operation.context = thread;
  operation.source = source;
  operation.total_latency = latency;
  operation.issue_latency = 2;
  operation.translation_latency = 1;
  operation.events = events;
  return operation;
}

SpeRun run_of_program() {
  SpeRun run;
  run.target.process = 4711;
  run.target.modules.resize(1);
  run.target.modules[0].name = "program.exe";
  run.target.modules[0].base = kImage;
  run.target.modules[0].size = 0x10000;
  run.target.modules[0].main = true;
  run.elapsed_seconds = 2;
  return run;
}

answers::AddressAnswer answer(u32 rva, std::string function, std::string file = {}, u32 line = 0) {
  answers::AddressAnswer out;
  out.rva = rva;
  out.function = function;
  out.frames = {{.function = std::move(function), .file = std::move(file), .line = line}};
  return out;
}

// A symbolizer's answers: three functions, and a line for each instruction of the first one.
std::vector<std::vector<answers::AddressAnswer>> answers_to(const Aggregator& aggregator, const SpeRun& run) {
  std::vector<std::vector<answers::AddressAnswer>> answers;
  for (const std::vector<u32>& rvas : spe_addresses_to_name(aggregator, run)) {
    answers.emplace_back();
    for (const u32 rva : rvas) {
      if (rva >= kLeft) {
        answers.back().push_back(answer(rva, "left"));
      } else if (rva >= kSecond) {
        answers.back().push_back(answer(rva, "second", "C:\\src\\two.c", 7));
      } else if (rva >= kFirst) {
        answers.back().push_back(answer(rva, "first", "C:\\src\\one.c", 10 + (rva - kFirst) / 4));
      }
    }
  }
  return answers;
}

SpeProfile profile_of(const Aggregator& aggregator, SpeRun run = run_of_program()) {
  const auto answers = answers_to(aggregator, run);
  return make_spe_profile(aggregator, std::move(run), answers);
}

Aggregator memory_aggregator() {
  Aggregator aggregator({.memory = true});
  for (const u32 core : {0U, 1U}) aggregator.set_data_sources(core, spe::find_data_source_family(0x410fd0c0));
  return aggregator;
}

void add(Aggregator& aggregator, const EncodedOperation& operation, const Origin& origin = {}, u32 times = 1) {
  const Record record = record_of(operation);
  for (u32 i = 0; i < times; ++i) aggregator.add(origin, record);
}

// The counts of functions for one kind of operation.
std::map<std::string, u64> counts_of(const SpeProfile& profile, u32 event) {
  std::map<std::string, u64> counts;
  for (const stacks::StackSample& sample : profile.samples.samples) {
    if (sample.event != event) continue;
    counts[display_name(profile, profile.samples.places[profile.samples.nodes[sample.node].place].function)] +=
        sample.count;
  }
  return counts;
}

TEST(SpeProfile, OneEventPerKindOfOperation) {
  Aggregator aggregator;
  add(aggregator, plain(kImage + kFirst), {}, 3);
  add(aggregator, access(false, kImage + kSecond, 0x8000, 1, 0, 4), {.core = 1}, 5);
  const SpeProfile profile = profile_of(aggregator);
  const stacks::StackProfile& samples = profile.samples;
  ASSERT_EQ(samples.events.size(), 2U);
  const u32 load = samples.events[0].name == "LOAD_STORE_ATOMIC-LOAD-GP/retired" ? 0 : 1, other = 1 - load;
  EXPECT_EQ(samples.events[load].name, "LOAD_STORE_ATOMIC-LOAD-GP/retired");
  EXPECT_EQ(samples.events[other].name, "OTHER/retired");
  EXPECT_EQ(samples.events[load].samples, 5U);
  EXPECT_EQ(samples.events[load].interval, 0U);
  EXPECT_EQ(counts_of(profile, load), (std::map<std::string, u64>{{"second", 5}}));
  EXPECT_EQ(counts_of(profile, other), (std::map<std::string, u64>{{"first", 3}}));
  ASSERT_EQ(profile.run.owners.size(), 2U);
  for (const answers::OwnerCount& owner : profile.run.owners) EXPECT_EQ(owner.core, owner.event == load ? 1U : 0U);
  ASSERT_EQ(samples.sites.size(), 2U);
  const stacks::CodeFrame& line = samples.code_frames[samples.sites[0].first_frame];
  EXPECT_EQ(line.line, 10U);
  EXPECT_EQ(samples.texts[line.file], "C:\\src\\one.c");
  EXPECT_FALSE(profile.memory.has_value());
}

TEST(SpeProfile, WhatIsNotOfTheProgram) {
  Aggregator aggregator;
  EncodedOperation kernel = plain(kSystem + 0x4000);
  kernel.exception_level = 1;
  add(aggregator, kernel);
  add(aggregator, plain(0x1234'0000), {}, 2);
  add(aggregator, plain(0x1238'0000), {}, 2);
  add(aggregator, plain(kImage + kFirst), {.other_process = true}, 3);
  add(aggregator, plain(kImage + 0x10), {}, 5);  // before the first function
  const std::map<std::string, u64> unsure = {{"[kernel]", 1}, {"[other process]", 7}, {"unknown", 5}};
  SpeProfile profile = profile_of(aggregator);
  ASSERT_EQ(profile.samples.events.size(), 1U);
  EXPECT_EQ(counts_of(profile, 0), unsure);
  SpeRun run = run_of_program();
  run.processes_known = true;
  profile = profile_of(aggregator, run);
  const std::map<std::string, u64> sure = {{"[kernel]", 1}, {"[other process]", 3}, {"unknown", 9}};
  EXPECT_EQ(counts_of(profile, 0), sure);
  // All places without a name share one symbol, whatever their module is.
  std::set<u32> symbols;
  for (const CodePlace& place : profile.places) symbols.insert(place.symbol);
  EXPECT_EQ(symbols.size(), 3U);
}

TEST(SpeProfile, RecordsThatTheCountersSawAndNobodyDecodedAreLost) {
  Aggregator aggregator;
  add(aggregator, plain(kImage + kFirst), {.core = 2}, 10);
  SpeRun run = run_of_program();
  run.cores = {{.core = 1}, {.core = 2, .full = 3}};
  run.recorded_of_core = {4, 10};
  const SpeProfile profile = profile_of(aggregator, run);
  EXPECT_EQ(profile.run.samples_generated(), 14U);
  EXPECT_EQ(profile.run.samples_dropped(), 4U);
  ASSERT_EQ(profile.cores.size(), 2U);
  EXPECT_EQ(profile.cores[1].records, 10U);
  EXPECT_EQ(profile.cores[1].full, 3U);
  // Without counters, only the records are known.
  EXPECT_EQ(profile_of(aggregator).run.samples_generated(), 10U);
  EXPECT_EQ(profile_of(aggregator).run.samples_dropped(), 0U);
}

TEST(SpeProfile, ThreadsByTheirContexts) {
  Aggregator aggregator;
  add(aggregator, access(false, kImage + kFirst, 0x8000, 91, 0, 4), {}, 2);
  add(aggregator, access(false, kImage + kFirst, 0x8000, 92, 0, 4));
  SpeRun run = run_of_program();
  run.threads = {{.context = 91, .process = 4711, .thread = 12}};
  run.processes = {{.process = 4711, .name = "program.exe"}};
  const SpeProfile profile = profile_of(aggregator, run);
  std::map<u64, u64> threads;
  for (const answers::OwnerCount& owner : profile.run.owners) threads[owner.thread.value()] += owner.count;
  EXPECT_EQ(threads, (std::map<u64, u64>{{u64{4711} << 32 | 12, 2}, {92, 1}}));
  EXPECT_EQ(profile.run.processes.at(0).name, "program.exe");
}

TEST(SpeMemory, ByDataSource) {
  Aggregator aggregator = memory_aggregator();
  add(aggregator, access(false, kImage + kFirst, 0x8000, 1, 0, 4), {}, 90);
  add(aggregator, access(false, kImage + kFirst + 4, 0x9000, 1, 0xe, 300, kRetired | kRefill), {}, 9);
  add(aggregator, access(false, kImage + kFirst + 4, 0x9000, 1, 0xe, 1000, kRetired | kRefill));
  add(aggregator, access(true, kImage + kSecond, 0x8000, 1, 0, 6), {}, 20);
  const SpeProfile profile = profile_of(aggregator);
  const MemoryProfile& memory = profile.memory.value();
  EXPECT_EQ(memory.all.hits, 120U);
  EXPECT_EQ(memory.all.latency_sum, 90 * 4 + 9 * 300 + 1000 + 20 * 6U);
  ASSERT_EQ(memory.sources.size(), 3U);
  EXPECT_EQ(memory.sources[0].name, "l1");
  EXPECT_EQ(memory.sources[1].name, "dram");
  EXPECT_EQ(memory.sources[2].name, "stores, no source");
  EXPECT_FALSE(memory.sources[2].given);
  EXPECT_EQ(memory.sources[1].counts.latency.p50, 300U);
  EXPECT_EQ(memory.sources[1].counts.latency.p90, 300U);
  EXPECT_EQ(memory.sources[1].counts.latency.p99, 1000U);
  EXPECT_EQ(memory.sources[1].counts.latency.longest, 1000U);
  EXPECT_DOUBLE_EQ(memory.sources[1].counts.latency.mean, 370);
  EXPECT_EQ(memory.sources[1].counts.refills, 10U);
  EXPECT_EQ(memory.limits.stores_without_source, 20U);
  EXPECT_EQ(memory.limits.loads_without_source, 0U);

  ASSERT_EQ(memory.functions.size(), 2U);
  EXPECT_EQ(display_name(profile, memory.functions[0].symbol), "first");
  EXPECT_EQ(memory.functions[0].counts.hits, 100U);
  EXPECT_EQ(memory.functions[0].counts.latency.p90, 4U);
  EXPECT_EQ(memory.functions[0].slowest_source, 1U);
  ASSERT_EQ(memory.code_lines.size(), 3U);
  EXPECT_EQ(memory.code_lines[0].line, 11U);
  EXPECT_EQ(memory.code_lines[0].address, kImage + kFirst + 4);
  ASSERT_EQ(memory.pages.size(), 2U);
  EXPECT_EQ(memory.pages[0].address, 0x8000U);
  EXPECT_EQ(memory.pages[0].hits, 110U);
  u64 hits = 0;
  for (const LatencyBucket& bucket : memory.histogram) hits += bucket.hits;
  EXPECT_EQ(hits, 120U);
  EXPECT_EQ(memory.histogram.front().first, 4U);
  EXPECT_EQ(memory.histogram.front().last, 7U);
  EXPECT_EQ(memory.histogram.back().last, 1023U);
}

TEST(SpeMemory, FalseSharingNamesBothPlaces) {
  Aggregator aggregator = memory_aggregator();
  add(aggregator, access(true, kImage + kFirst, 0x8000, 1, 0, 50, kRetired | kRefill), {.core = 0}, 30);
  add(aggregator, access(true, kImage + kSecond, 0x8008, 2, 0, 50, kRetired | kRefill), {.core = 1}, 20);
  // A line used by one thread, a line that is only read, a line without a refill, and a line of another process.
  add(aggregator, access(true, kImage + kFirst, 0x8100, 1, 0, 50, kRetired | kRefill));
  add(aggregator, access(true, kImage + kSecond, 0x8108, 1, 0, 50, kRetired | kRefill));
  add(aggregator, access(false, kImage + kFirst, 0x8200, 1, 9, 50, kRetired | kRefill));
  add(aggregator, access(false, kImage + kSecond, 0x8208, 2, 9, 50, kRetired | kRefill));
  add(aggregator, access(true, kImage + kFirst, 0x8300, 1, 0, 5));
  add(aggregator, access(true, kImage + kSecond, 0x8308, 2, 0, 5));
  add(aggregator, access(true, kImage + kFirst, 0x8400, 1, 0, 50, kRetired | kRefill));
  add(aggregator, access(true, 0x4000, 0x8408, 2, 0, 50, kRetired | kRefill));
  // Two threads at the same offset: true sharing.
  add(aggregator, access(true, kImage + kFirst, 0x8500, 1, 0, 50, kRetired | kRefill));
  add(aggregator, access(true, kImage + kFirst, 0x8500, 2, 0, 50, kRetired | kRefill));
  const SpeProfile profile = profile_of(aggregator);
  const MemoryProfile& memory = profile.memory.value();
  ASSERT_EQ(memory.shared.size(), 1U);
  const SharedLine& line = memory.shared[0];
  EXPECT_EQ(line.address, 0x8000U);
  EXPECT_EQ(line.hits, 50U);
  EXPECT_EQ(line.threads, 2U);
  EXPECT_FALSE(line.same_offset);
  ASSERT_EQ(line.places.size(), 2U);
  const CodePlace& first = profile.places[line.places[0].place];
  const CodePlace& second = profile.places[line.places[1].place];
  EXPECT_EQ(display_name(profile, first.symbol), "first");
  EXPECT_EQ(first.line, 10U);
  EXPECT_EQ(line.places[0].thread, 1U);
  EXPECT_EQ(line.places[0].offset, 0U);
  EXPECT_EQ(line.places[0].hits, 30U);
  EXPECT_EQ(display_name(profile, second.symbol), "second");
  EXPECT_EQ(line.places[1].thread, 2U);
  EXPECT_EQ(line.places[1].offset, 8U);
  EXPECT_TRUE(memory.limits.threads_known);
}

TEST(SpeMemory, BranchesAndWalks) {
  Aggregator aggregator = memory_aggregator();
  EncodedOperation branch = plain(kImage + kFirst);
  branch.operation_class = spe::kClassBranch;
  branch.payload = 1;
  branch.address = kImage + kSecond;
  add(aggregator, branch, {}, 6);
  branch.address = kImage + kLeft;
  branch.events = kRetired | 1U << spe::kEventMispredicted;
  add(aggregator, branch, {}, 3);
  branch.address = kImage + kFirst + 4;
  branch.events = kRetired | 1U << spe::kEventNotTaken;
  add(aggregator, branch, {}, 11);
  add(aggregator, access(false, kImage + kSecond, 0x8000, 1, 0, 30, kRetired | 1U << spe::kEventTlbWalk), {}, 2);
  add(aggregator, access(false, kImage + kSecond, 0x8000, 1, 0, 4), {}, 2);
  const SpeProfile profile = profile_of(aggregator);
  const MemoryProfile& memory = profile.memory.value();
  ASSERT_EQ(memory.branches.size(), 1U);
  const BranchRow& row = memory.branches[0];
  EXPECT_EQ(row.hits, 20U);
  EXPECT_EQ(row.mispredicted, 3U);
  EXPECT_EQ(row.not_taken, 11U);
  EXPECT_EQ(row.targets, 2U);
  EXPECT_EQ(row.top_target, kImage + kSecond);
  EXPECT_EQ(row.top_target_hits, 6U);
  EXPECT_EQ(display_name(profile, profile.places[row.top_target_place].symbol), "second");
  ASSERT_EQ(memory.walks.size(), 1U);
  EXPECT_EQ(memory.walks[0].walks, 2U);
  EXPECT_EQ(memory.walks[0].hits, 4U);
}

TEST(SpeMemory, PercentilesOfManyLatencies) {
  AccessSums sums(2);
  sums.add(1, {.hits = 1000, .timed = 1000, .longest = 20});
  for (u32 cycles = 1; cycles <= 20; ++cycles) sums.add_latency(1, cycles, 50);
  const std::vector<AccessCounts> counts = sums.counts();
  EXPECT_EQ(counts[1].latency.p50, 10U);
  EXPECT_EQ(counts[1].latency.p90, 18U);
  EXPECT_EQ(counts[1].latency.p99, 20U);
  EXPECT_EQ(counts[0].latency.p99, 0U);
}

// Random latencies in two functions. Each percentile must be the latency at its rank.
TEST(SpeMemory, PercentilesAreThoseOfTheSortedLatencies) {
  Aggregator aggregator = memory_aggregator();
  std::mt19937 chance(11);
  std::map<std::string, std::vector<u32>> latencies;
  for (u32 i = 0; i < 3000; ++i) {
    const bool first = chance() % 3 != 0;
    const u32 cycles = 4 + static_cast<u32>(chance() % (first ? 450 : 4000));
    const u64 pc = kImage + (first ? kFirst : kSecond) + 4 * (chance() % 16);
    add(aggregator, access(chance() % 4 == 0, pc, 0x8000, 1, 8, cycles));
    for (const char* const group : {"all", first ? "first" : "second"}) latencies[group].push_back(cycles);
  }
  const SpeProfile profile = profile_of(aggregator);
  const MemoryProfile& memory = profile.memory.value();
  const auto expect_exact = [](const Latencies& said, std::vector<u32> sorted) {
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](usize percent) { return sorted[(sorted.size() * percent + 99) / 100 - 1]; };
    EXPECT_EQ(std::tuple(said.p50, said.p90, said.p99, said.longest),
              std::tuple(at(50), at(90), at(99), sorted.back()));
  };
  expect_exact(memory.all.latency, latencies["all"]);
  ASSERT_EQ(memory.functions.size(), 2U);
  for (const AccessSymbolRow& row : memory.functions) {
    expect_exact(row.counts.latency, latencies[display_name(profile, row.symbol)]);
  }
  EXPECT_FALSE(memory.limits.latencies_rounded);
}

TEST(SpeRecordNamer, NamesOneRecord) {
  Aggregator aggregator = memory_aggregator();
  EncodedOperation operation =
      access(false, kImage + kFirst, 0x8008, 7, 8, 33, kRetired | kRefill | 1U << spe::kEventL2dMiss | 1U << 13);
  operation.timestamp = 99;
  add(aggregator, operation);
  const SpeProfile profile = profile_of(aggregator);
  SpeRecordNames names(profile);
  names.set_data_sources(0, spe::find_data_source_family(0x410fd0c0));
  SpeRecordNamer namer(names);
  SpeRecordRow row = namer.row({}, record_of(operation));
  EXPECT_EQ(row.function, "first");
  EXPECT_EQ(row.module, "program.exe");
  EXPECT_EQ(row.operation, "LOAD_STORE_ATOMIC-LOAD-GP");
  EXPECT_EQ(row.events, "retired+l1d-refill+event-13");  // two bytes of events have only these bits
  EXPECT_EQ(row.source, "l2");
  EXPECT_EQ(row.time.value, 99U);
  EXPECT_EQ(row.thread.value, 7U);
  EXPECT_EQ(row.total_latency.value, 33U);
  EXPECT_EQ(row.data_virtual.value, 0x8008U);
  EXPECT_FALSE(row.data_physical.given);
  EXPECT_FALSE(row.target.given);
  row = namer.row({.core = 9, .other_process = true}, record_of(operation));
  EXPECT_EQ(row.function, "[other process]");
  EXPECT_EQ(row.source, "source-0x8");
  EXPECT_TRUE(row.module.empty());
}

TEST(SpeRecordNamer, SpellsOncePerFunctionAndKind) {
  Aggregator aggregator = memory_aggregator();
  std::vector<EncodedOperation> operations;
  for (u32 i = 0; i < 100; ++i) {
    operations.push_back(access(false, kImage + kFirst + i % 3 * 4, 0x8008, 7, 8, i, kRetired));
    operations.push_back(plain(kImage + kFirst + i % 5 * 4));
    for (const EncodedOperation& operation : {operations.end()[-2], operations.end()[-1]}) add(aggregator, operation);
  }
  const SpeProfile profile = profile_of(aggregator);
  static int spelled = 0;
  const RecordSpelling spelling{.place =
                                    [](const SpeRecordRow& row, std::string& out) {
                                      ++spelled;
                                      out += std::string(row.function) + ' ' + std::string(row.module);
                                    },
                                .kind =
                                    [](const SpeRecordRow& row, std::string& out) {
                                      ++spelled;
                                      out += std::string(row.operation) + std::string(row.events);
                                    }};
  const SpeRecordNames names(profile, spelling), plain_names(profile);
  SpeRecordNamer namer(names), plain_namer(plain_names);
  std::vector<std::string> kinds, places;
  const auto take = [&](SpeRecordRow& row) {
    kinds.emplace_back(row.kind);
    places.emplace_back(row.place);
    EXPECT_TRUE(row.function.empty());
  };
  for (const EncodedOperation& operation : operations) namer.add({}, record_of(operation), take);
  namer.flush(take);
  ASSERT_EQ(places.size(), operations.size());
  std::set<std::string> functions;
  for (usize i = 0; i < operations.size(); ++i) {
    const SpeRecordRow& row = plain_namer.row({}, record_of(operations[i]));
    EXPECT_EQ(places[i], std::string(row.function) + ' ' + std::string(row.module));
    functions.insert(places[i]);
    EXPECT_EQ(kinds[i], std::string(row.operation) + std::string(row.events));
  }
  EXPECT_EQ(spelled, static_cast<int>(functions.size()) + 2);
}

TEST(SpeProfile, NothingAtAll) {
  const SpeProfile profile = profile_of(memory_aggregator());
  EXPECT_TRUE(profile.samples.events.empty());
  EXPECT_TRUE(profile.memory->sources.empty());
  const SpeRecordNames names(profile);
  EXPECT_EQ(SpeRecordNamer(names).row({}, record_of(plain(kImage))).function, "[other process]");
}

}  // namespace
}  // namespace wperf::operations
