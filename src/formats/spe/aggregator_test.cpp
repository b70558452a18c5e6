// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/aggregator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "formats/spe/contract_names.h"
#include "formats/spe/latency.h"
#include "formats/spe/packets.h"
#include "formats/spe/record_reader.h"
#include "formats/spe/spe_encoder.h"

namespace wperf::spe {
namespace {

constexpr u64 kCommonMidr = 0x410fd0c0;  // Neoverse N1
constexpr u32 kLoad = 0, kStore = 1;

const DataSourceFamily* common() {
  return find_data_source_family(kCommonMidr);
}

u64 events_of(std::initializer_list<u32> bits) {
  u64 events = 0;
  for (const u32 bit : bits) events |= u64{1} << bit;
  return events;
}

void add(Aggregator& aggregator, const EncodedOperation& operation, const Origin& origin = {}) {
  SpeEncoder encoder;
  encode_neoverse_record(operation, encoder);
  DecodeState state;
  ASSERT_EQ(for_each_record(encoder.bytes(), state, [&](const Record& record) { aggregator.add(origin, record); }),
            encoder.size());
}

EncodedOperation access(u32 payload, u64 pc, u64 address, u32 thread, u32 source = 0, u32 latency = 4) {
  EncodedOperation operation;
  operation.operation_class = kClassMemory;
  operation.payload = payload;
  operation.pc = pc;
  operation.address = address;
  operation.context = thread;
  operation.source = source;
  operation.total_latency = latency;
  operation.issue_latency = latency / 2;
  operation.translation_latency = 1;
  return operation;
}

EncodedOperation branch(u64 pc, u64 target, u64 events, u32 payload = 1) {
  EncodedOperation operation;
  operation.operation_class = kClassBranch;
  operation.payload = payload;
  operation.pc = pc;
  operation.address = target;
  operation.events = events;
  return operation;
}

std::vector<EventHits> events_of(const Aggregator& aggregator) {
  std::vector<EventHits> rows;
  aggregator.for_each_event([&](const EventHits& row) { rows.push_back(row); });
  return rows;
}

std::vector<LineHits> lines_of(const Aggregator& aggregator) {
  std::vector<LineHits> lines;
  for (u32 i = 0; i < aggregator.data().line_count(); ++i) lines.push_back(aggregator.data().line(i));
  return lines;
}

std::vector<PageHits> pages_of(const Aggregator& aggregator) {
  std::vector<PageHits> pages;
  for (u32 i = 0; i < aggregator.data().page_count(); ++i) pages.push_back(aggregator.data().page(i));
  return pages;
}

// For all sites together: cycles → hits.
std::map<u32, u64> latencies_of_sites(const Aggregator& aggregator) {
  std::map<u32, u64> hits;
  aggregator.for_each_latency_of_site([&](const LatencyHits& row) { hits[row.cycles] += row.hits; });
  return hits;
}

TEST(Aggregator, PlacesAndKindsAreCountedApart) {
  Aggregator aggregator;
  EncodedOperation one;
  one.pc = 0x1000;
  add(aggregator, one);
  add(aggregator, one);
  one.events = events_of({kEventRetired, kEventL2dAccess});  // the second event has no name in the contract
  add(aggregator, one);
  one.exception_level = 1;
  add(aggregator, one);
  add(aggregator, one, {.other_process = true});
  one.events = events_of({kEventRetired, kEventNotTaken});
  add(aggregator, one, {.other_process = true});

  std::map<std::tuple<u64, bool, bool, u64>, u64> hits;
  for (const EventHits& row : events_of(aggregator)) {
    EXPECT_EQ(row.operation, OperationName::other);
    const Site site = aggregator.site(row.site);
    hits[{site.pc, site.kernel, site.other_process, row.events}] = row.hits;
  }
  const u64 kernel_pc = 0xff00'0000'0000'1000;
  const std::map<std::tuple<u64, bool, bool, u64>, u64> expected = {{{0x1000, false, false, 2}, 3},
                                                                    {{kernel_pc, true, false, 2}, 1},
                                                                    {{kernel_pc, true, true, 2}, 1},
                                                                    {{kernel_pc, true, true, 0x42}, 1}};
  EXPECT_EQ(hits, expected);
  EXPECT_EQ(aggregator.records(), 6U);
  EXPECT_TRUE(aggregator.sources().empty());
}

TEST(Aggregator, ThreadComesFromOriginOrContext) {
  Aggregator aggregator;
  add(aggregator, access(kLoad, 0x1000, 0x8000, 77), {.core = 3});
  add(aggregator, access(kLoad, 0x1000, 0x8000, 77), {.core = 3, .thread = 5});
  std::map<u32, u32> core_of_thread;
  for (const OwnerHits& row : aggregator.owners()) core_of_thread[row.thread] = row.core;
  EXPECT_EQ(core_of_thread, (std::map<u32, u32>{{77, 3}, {5, 3}}));

  Record record;
  EXPECT_EQ(thread_of({}, record), kNoThread);
  record.set(Field::context_el1, 0);
  EXPECT_EQ(thread_of({}, record), 0U);
  record.set(Field::context_el2, 12);
  EXPECT_EQ(thread_of({}, record), 12U);
  record.set(Field::context_el1, 13);
  EXPECT_EQ(thread_of({}, record), 13U);
}

TEST(Aggregator, OwnersBeyondLimitAreUnattributed) {
  Aggregator aggregator({.most_owners = 2});
  for (const u32 thread : {1U, 2U, 3U, 1U, 4U}) add(aggregator, access(kLoad, 0x1000, 0x8000, thread));
  std::map<u32, u64> hits;
  for (const OwnerHits& row : aggregator.owners()) hits[row.thread] += row.hits;
  EXPECT_EQ(hits, (std::map<u32, u64>{{1, 2}, {2, 1}, {kNoThread, 2}}));
}

TEST(Aggregator, AccessesBySourceWithLatencies) {
  Aggregator aggregator({.memory = true});
  aggregator.set_data_sources(1, common());
  EncodedOperation far = access(kLoad, 0x1000, 0x8000, 1, 0xe, 200);
  far.events = events_of({kEventRetired, kEventL1dRefill, kEventTlbWalk, kEventLlcMiss, kEventRemoteAccess});
  add(aggregator, far, {.core = 1});
  far.total_latency = kSaturatedLatency;
  add(aggregator, far, {.core = 1});
  add(aggregator, access(kStore, 0x1000, 0x8000, 1), {.core = 1});
  add(aggregator, access(kLoad, 0x1000, 0x8000, 1, 0xe), {.core = 0});  // the data source family of this core is
                                                                        // unknown

  const std::vector<SourceAccesses> rows = aggregator.sources();
  ASSERT_EQ(rows.size(), 3U);
  const auto dram =
      std::find_if(rows.begin(), rows.end(), [](const SourceAccesses& row) { return row.source.source() != nullptr; });
  ASSERT_NE(dram, rows.end());
  EXPECT_EQ(dram->source.source()->name, "dram");
  const AccessSum& sum = dram->sum;
  EXPECT_EQ(std::tuple(sum.hits, sum.stores, sum.timed, sum.latency, sum.issue, sum.translation),
            std::tuple(2U, 0U, 2U, 200 + 4095U, 200U, 2U));
  EXPECT_EQ(std::tuple(sum.refills, sum.walks, sum.llc_misses, sum.remote, sum.saturated, sum.longest),
            std::tuple(2U, 2U, 2U, 2U, 1U, 4095U));
  const auto store = std::find_if(rows.begin(), rows.end(), [](const SourceAccesses& row) { return row.store; });
  ASSERT_NE(store, rows.end());
  EXPECT_FALSE(store->source.given());
  const auto number = std::find_if(rows.begin(), rows.end(), [](const SourceAccesses& row) {
    return row.source.given() && row.source.family() == nullptr;
  });
  ASSERT_NE(number, rows.end());
  EXPECT_EQ(number->source.value(), 0xeU);

  std::map<u32, u64> hits, cycles;
  aggregator.for_each_latency_of_source([&](const LatencyHits& row) {
    if (row.of == dram - rows.begin()) hits[row.cycles] = row.hits;
  });
  EXPECT_EQ(hits, (std::map<u32, u64>{{200, 1}, {4095, 1}}));
  EXPECT_EQ(latencies_of_sites(aggregator), (std::map<u32, u64>{{4, 2}, {200, 1}, {4095, 1}}));
  aggregator.for_each_wait([&](const Wait& wait) { cycles[wait.source] += wait.cycles; });
  EXPECT_EQ(cycles[static_cast<u32>(dram - rows.begin())], 200 + 4095U);
  aggregator.for_each_access([&](const SiteAccesses& row) {
    EXPECT_EQ(aggregator.site(row.site).pc, 0x1000U);
    EXPECT_EQ(std::tuple(row.sum.hits, row.sum.stores, row.sum.longest), std::tuple(4U, 1U, 4095U));
  });
}

TEST(Aggregator, LatenciesAreExactUntilTheyAreTooMany) {
  const auto filled = [](u32 most) {
    Aggregator aggregator({.memory = true, .most_latencies = most});
    for (u32 cycles = 300; cycles < 364; ++cycles) add(aggregator, access(kLoad, 0x1000, 0x8000, 1, 0, cycles));
    add(aggregator, access(kLoad, 0x1000, 0x8000, 1, 0, 300));  // as long as the table is small, nothing waits
    return aggregator;
  };
  const Aggregator exact = filled(64), rounded = filled(63);
  EXPECT_FALSE(exact.latencies_rounded());
  EXPECT_EQ(latencies_of_sites(exact).size(), 64U);
  EXPECT_EQ(latencies_of_sites(exact)[300], 2U);
  EXPECT_TRUE(rounded.latencies_rounded());
  EXPECT_EQ(latencies_of_sites(rounded), (std::map<u32, u64>{{303, 5}, {319, 16}, {335, 16}, {351, 16}, {367, 12}}));
  u64 apart = 0;
  rounded.for_each_latency_of_source([&](const LatencyHits&) { ++apart; });
  EXPECT_EQ(apart, 64U);  // all latencies of one source are kept

  Aggregator first = filled(1000), second = rounded;
  first.merge(rounded);
  second.merge(exact);
  EXPECT_TRUE(first.latencies_rounded() && second.latencies_rounded());
  EXPECT_EQ(latencies_of_sites(first), latencies_of_sites(second));
}

TEST(Aggregator, LinesKnowWhoTouchedThem) {
  Aggregator aggregator({.memory = true});
  aggregator.set_data_sources(0, common());
  add(aggregator, access(kStore, 0x1000, 0x8008, 1));
  add(aggregator, access(kStore, 0x1000, 0x8008, 1));
  add(aggregator, access(kLoad, 0x2000, 0x8030, 2, 9, 60));  // from another core's cache
  add(aggregator, access(kLoad, 0x2000, 0x8040, 2));         // the next line
  std::vector<LineHits> lines = lines_of(aggregator);
  std::ranges::sort(lines, {}, &LineHits::address);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].address, 0x8000U);
  EXPECT_EQ(lines[0].counts.hits, 3U);
  EXPECT_EQ(lines[0].counts.stores, 2U);
  EXPECT_EQ(lines[0].counts.peer, 1U);
  ASSERT_EQ(lines[0].places.size(), 2U);
  EXPECT_EQ(std::tuple(lines[0].places[0].thread, lines[0].places[0].offset, lines[0].places[0].counts.hits),
            std::tuple(1U, 8U, 2U));
  EXPECT_EQ(std::tuple(lines[0].places[1].thread, lines[0].places[1].offset, lines[0].places[1].counts.latency),
            std::tuple(2U, 0x30U, 60U));
  EXPECT_EQ(lines[1].address, 0x8040U);
  ASSERT_EQ(aggregator.data().page_count(), 1U);
  EXPECT_EQ(aggregator.data().page(0).counts.hits, 4U);
}

TEST(Aggregator, PlacesOfALineHaveACap) {
  Aggregator aggregator({.memory = true, .most_places = 3});
  for (u32 i = 0; i < 5; ++i) add(aggregator, access(kLoad, 0x1000 + 4 * u64{i}, 0x8000, 1));
  ASSERT_EQ(aggregator.data().line_count(), 1U);
  EXPECT_EQ(aggregator.data().line(0).places.size(), 3U);
  EXPECT_EQ(aggregator.data().line(0).without_place, 2U);
}

TEST(Aggregator, BusyLinesOutliveRareOnes) {
  Aggregator aggregator({.memory = true, .most_lines = 64, .most_pages = 64});
  for (u32 i = 0; i < 1000; ++i) {
    add(aggregator, access(kLoad, 0x1000, 0x100000, 1));
    add(aggregator, access(kLoad, 0x1000, 0x200000 + u64{i} * 4096, 1));
  }
  const std::vector<LineHits> lines = lines_of(aggregator);
  EXPECT_LE(lines.size(), 64U);
  const auto busy = std::ranges::find(lines, u64{0x100000}, &LineHits::address);
  ASSERT_NE(busy, lines.end());
  EXPECT_EQ(busy->counts.hits, 1000U);
  u64 kept = 0, kept_in_pages = 0;
  for (const LineHits& line : lines) kept += line.counts.hits;
  for (const PageHits& page : pages_of(aggregator)) kept_in_pages += page.counts.hits;
  EXPECT_EQ(kept + aggregator.data().forgotten_lines(), 2000U);
  EXPECT_EQ(kept_in_pages + aggregator.data().forgotten_pages(), 2000U);
}

TEST(Aggregator, BranchesByTarget) {
  Aggregator aggregator({.memory = true});
  const u64 taken = events_of({kEventRetired}), wrong = events_of({kEventRetired, kEventMispredicted});
  add(aggregator, branch(0x1000, 0x2000, taken));
  add(aggregator, branch(0x1000, 0x2000, wrong));
  add(aggregator, branch(0x1000, 0x1004, events_of({kEventRetired, kEventNotTaken})));
  EncodedOperation kernel = branch(0x3000, 0x4000, taken, 2);
  kernel.exception_level = 1;
  add(aggregator, kernel);
  std::vector<BranchHits> rows = aggregator.branches();
  std::ranges::sort(rows, [](const BranchHits& a, const BranchHits& b) {
    return std::tie(a.site.pc, a.target) < std::tie(b.site.pc, b.target);
  });
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(std::tuple(rows[0].target, rows[0].hits, rows[0].not_taken), std::tuple(0x1004U, 1U, 1U));
  EXPECT_EQ(std::tuple(rows[1].target, rows[1].hits, rows[1].mispredicted), std::tuple(0x2000U, 2U, 1U));
  EXPECT_EQ(rows[2].target, 0xff00'0000'0000'4000U);
  EXPECT_TRUE(rows[0].conditional && !rows[0].indirect && !rows[2].conditional && rows[2].indirect);
}

// The contents of an aggregator in a fixed order.
struct AggregatorContents {
  std::map<std::tuple<u64, bool, u32, u64>, u64> events;
  std::map<std::tuple<u32, u64, u32, u32>, u64> owners;
  std::map<u64, std::tuple<u64, u64, u64, u64, u32>> accesses;
  std::map<std::tuple<bool, u32>, std::tuple<u64, u64, u64, u32>> sources;
  std::map<std::tuple<u64, bool, u32>, u64> waits;
  std::map<std::tuple<u64, u32>, u64> latencies;
  std::map<std::tuple<u64, u64, bool, bool>, std::tuple<u64, u64, u64>> branches;
  std::map<u64, std::tuple<u64, u64, u64>> pages, lines;
  std::map<std::tuple<u64, u64, u32, u32>, u64> places;

  friend bool operator==(const AggregatorContents&, const AggregatorContents&) = default;
};

AggregatorContents said_by(const Aggregator& aggregator) {
  AggregatorContents said;
  for (const EventHits& row : events_of(aggregator)) {
    const Site site = aggregator.site(row.site);
    said.events[{site.pc, site.kernel, static_cast<u32>(row.operation), row.events}] = row.hits;
  }
  for (const OwnerHits& row : aggregator.owners()) {
    said.owners[{static_cast<u32>(row.operation), row.events, row.core, row.thread}] = row.hits;
  }
  aggregator.for_each_access([&](const SiteAccesses& row) {
    const AccessSum& sum = row.sum;
    said.accesses[aggregator.site(row.site).pc] = {sum.hits, sum.stores, sum.latency, sum.refills, sum.longest};
  });
  const std::vector<SourceAccesses> sources = aggregator.sources();
  for (const SourceAccesses& row : sources) {
    said.sources[{row.store, row.source.code()}] = {row.sum.hits, row.sum.latency, row.sum.refills, row.sum.longest};
  }
  aggregator.for_each_wait([&](const Wait& row) {
    const SourceAccesses& source = sources[row.source];
    said.waits[{aggregator.site(row.site).pc, source.store, source.source.code()}] = row.cycles;
  });
  aggregator.for_each_latency_of_site(
      [&](const LatencyHits& row) { said.latencies[{aggregator.site(row.of).pc, row.cycles}] = row.hits; });
  for (const BranchHits& row : aggregator.branches()) {
    said.branches[{row.site.pc, row.target, row.conditional, row.indirect}] = {row.hits, row.mispredicted,
                                                                               row.not_taken};
  }
  for (const PageHits& row : pages_of(aggregator)) {
    said.pages[row.address] = {row.counts.hits, row.counts.stores, row.counts.latency};
  }
  for (const LineHits& row : lines_of(aggregator)) {
    said.lines[row.address] = {row.counts.hits, row.counts.peer, row.without_place};
    for (const LinePlace& place : row.places) {
      said.places[{row.address, aggregator.site(place.site).pc, place.thread, place.offset}] = place.counts.hits;
    }
  }
  return said;
}

TEST(Aggregator, ManyRecordsAgreeWithPlainMapsAndWithTwoTalliesMerged) {
  constexpr u32 kRecords = 20'000;
  const AggregatorOptions options{.memory = true, .most_places = 1000};
  Aggregator whole(options), halves[2] = {Aggregator(options), Aggregator(options)};
  for (Aggregator* aggregator : {&whole, &halves[0], &halves[1]}) {
    for (const u32 core : {0U, 1U}) aggregator->set_data_sources(core, common());
  }
  std::mt19937 chance(7);
  const auto below = [&](u32 limit) { return static_cast<u32>(chance() % limit); };
  std::map<std::tuple<u64, bool, u32, u64>, u64> expected;
  u64 latency = 0;
  for (u32 i = 0; i < kRecords; ++i) {
    const u64 pc = 0x10000 + 4 * u64{below(3000)};
    EncodedOperation operation =
        below(3) == 0 ? branch(pc, pc + 4 * u64{below(4)}, 2 | u64{below(4)} << 6, below(4))
                      : access(below(2), pc, 0x900000 + 8 * u64{below(4096)}, below(5), 8 + below(4), below(4096));
    if (operation.operation_class == kClassMemory) {
      operation.events = 2 | u64{below(16)} << 2;
      latency += operation.total_latency;
    }
    const Origin origin{.core = below(2)};
    add(whole, operation, origin);
    add(halves[origin.core], operation, origin);
    const u32 name =
        operation.operation_class == kClassMemory
            ? static_cast<u32>(operation.payload != 0 ? OperationName::store_general : OperationName::load_general)
            : static_cast<u32>((operation.payload & 1) != 0 ? OperationName::conditional_direct
                                                            : OperationName::unconditional_direct) +
                  (operation.payload >> 1);
    ++expected[{pc, false, name, operation.events}];
  }
  const AggregatorContents said = said_by(whole);
  EXPECT_EQ(said.events, expected);
  u64 summed = 0;
  for (const SourceAccesses& row : whole.sources()) summed += row.sum.latency;
  EXPECT_EQ(summed, latency);
  Aggregator merged = halves[0];
  merged.merge(halves[1]);
  EXPECT_EQ(merged.records(), kRecords);
  EXPECT_TRUE(said_by(merged) == said);
}

}  // namespace
}  // namespace wperf::spe
