// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/golden_profiles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace wperf::report::testing {
namespace {

using answers::ClassCounts;
using answers::CountProfile;
using answers::CountRow;

CountProfile profile_of(std::string vendor, u32 core_count, double elapsed_seconds) {
  CountProfile profile;
  profile.vendor = std::move(vendor);
  profile.core_count = core_count;
  profile.elapsed_seconds = elapsed_seconds;
  return profile;
}

CountRow plain(std::string name, u16 code, std::string note, u64 value) {
  return {.name = std::move(name),
          .code = code,
          .note = std::move(note),
          .value = value,
          .slots = 10,
          .rounds = 10,
          .scaled = value,
          .low = static_cast<double>(value),
          .high = static_cast<double>(value),
          .has_interval = true};
}

CountRow cycle(u64 value, u64 rounds) {
  CountRow row = plain("cycle", 0, "e", value);
  row.code.reset();
  row.slots = row.rounds = rounds;
  return row;
}

CountRow scaled(std::string name, u16 code, std::string note, u64 value, u64 slots, u64 rounds) {
  CountRow row = plain(std::move(name), code, std::move(note), value);
  row.slots = slots;
  row.rounds = rounds;
  row.scaled = slots == 0 ? 0 : value * rounds / slots;
  row.fraction = static_cast<double>(slots) / static_cast<double>(rounds);
  const u64 half = row.scaled / 16;
  row.low = static_cast<double>(row.scaled - half);
  row.high = static_cast<double>(row.scaled + half);
  row.has_interval = slots >= 2;
  return row;
}

void add_overall(ClassCounts& counts) {
  counts.overall = counts.units.at(0).rows;
  for (usize unit = 1; unit < counts.units.size(); ++unit) {
    for (usize row = 0; row < counts.overall.size(); ++row) {
      counts.overall[row].value += counts.units[unit].rows.at(row).value;
      counts.overall[row].scaled += counts.units[unit].rows.at(row).scaled;
    }
  }
}

ClassCounts& scheduled(CountProfile& profile, EventClass event_class) {
  ClassCounts& counts = profile.classes[index_of(event_class)];
  counts.scheduled = true;
  return counts;
}

}  // namespace

CountProfile one_core_plain() {
  CountProfile profile = profile_of("Arm Limited", 1, 1.09);
  ClassCounts& counts = scheduled(profile, EventClass::core);
  counts.units.push_back({.number = 1,
                          .cores = {},
                          .rows = {cycle(2'600'031'127, 10), plain("inst_spec", 0x1b, "g0,imix", 5'123'456'789),
                                   plain("dp_spec", 0x73, "g0,imix", 1'987'654'321),
                                   plain("vfp_spec", 0x75, "g0,imix", 512), plain("ase_spec", 0x74, "g0,imix", 0),
                                   plain("ld_spec", 0x70, "g0,imix", 1'000'000), plain("r4000", 0x4000, "e", 7)}});
  return profile;
}

CountProfile two_cores_multiplexed() {
  CountProfile profile = profile_of("Arm Limited", 2, 1);
  profile.kernel = true;
  ClassCounts& counts = scheduled(profile, EventClass::core);
  counts.multiplexed = true;
  for (const u32 core : {0u, 3u}) {
    const u64 factor = core + 1;
    counts.units.push_back(
        {.number = core,
         .cores = {},
         .rows = {cycle(1'040'000'000 * factor, 10),
                  scaled("inst_retired", 0x08, "g0,ipc", 811'000'000 * factor, 5, 10),
                  scaled("cpu_cycles", 0x11, "g0,ipc", 520'000'000 * factor, 5, 10),
                  scaled("l1d_cache_refill", 0x03, "g1,l1d_cache_mpki", 91'234 * factor, 3, 10),
                  scaled("inst_retired", 0x08, "g1,l1d_cache_mpki", 486'000'001 * factor, 3, 10),
                  scaled("dtlb_walk", 0x34, "e", 1 * factor, 1, 10), scaled("ld_spec", 0x70, "e", 0, 0, 10)}});
    profile.metrics.push_back(
        {.core = core, .product = "neoverse-n1", .metric = "ipc", .unit = "per cycle", .value = 1.559615});
    profile.metrics.push_back(
        {.core = core, .product = "neoverse-n1", .metric = "l1d_cache_mpki", .unit = "MPKI", .value = 0.18772});
  }
  add_overall(counts);
  return profile;
}

CountProfile four_cores_dsu() {
  CountProfile profile = profile_of("Qualcomm Inc", 4, 12.345);
  ClassCounts& counts = scheduled(profile, EventClass::dsu);
  for (const u32 cluster : {0u, 1u}) {
    const u64 accesses = 26'131'107 * (cluster + 1), refills = 9'148'149;
    counts.units.push_back({.number = cluster,
                            .cores = {2 * cluster, 2 * cluster + 1},
                            .rows = {plain("l3d_cache", 0x2b, "e,l3_cache", accesses),
                                     plain("l3d_cache_refill", 0x2a, "e,l3_cache", refills)}});
    profile.l3.push_back({.cluster = cluster,
                          .cores = {2 * cluster, 2 * cluster + 1},
                          .bandwidth_mb = static_cast<double>(accesses) * 64 / 1048576,
                          .miss_percent = 100.0 * static_cast<double>(refills) / static_cast<double>(accesses)});
  }
  profile.l3.push_back({.cluster = {}, .cores = {}, .bandwidth_mb = 4784.7486, .miss_percent = 23.3391});
  profile.has_l3_metric = true;
  add_overall(counts);
  return profile;
}

CountProfile one_core_dmc() {
  CountProfile profile = profile_of("Ampere Computing", 1, 0.5);
  ClassCounts& clk = scheduled(profile, EventClass::dmc_clk);
  ClassCounts& clkdiv2 = scheduled(profile, EventClass::dmc_clkdiv2);
  for (const u32 channel : {0u, 1u}) {
    clk.units.push_back({.number = channel, .cores = {}, .rows = {plain("cycle_count", 0, "e", 1'000'000 + channel)}});
    clkdiv2.units.push_back({.number = channel, .cores = {}, .rows = {plain("rdwr", 0x12, "e,ddr_bw", 84'410'000)}});
    profile.ddr.push_back({.channel = channel, .bandwidth_mb = 10804.48});
  }
  profile.ddr.push_back({.channel = {}, .bandwidth_mb = 21608.96});
  profile.has_ddr_metric = true;
  add_overall(clk);
  add_overall(clkdiv2);
  return profile;
}

CountProfile nothing() {
  CountProfile profile;
  profile.vendor = "Unknown Vendor";
  return profile;
}

answers::TimelineProfile timeline_of(CountProfile first) {
  answers::TimelineProfile timeline{
      .duration_seconds = 2.2, .interval_seconds = 0.1, .requested_counts = 3, .counts = {}, .spans = {}};
  for (u64 i = 0; i < 3; ++i) {
    timeline.counts.push_back(first);
    for (ClassCounts& counts : first.classes) {
      for (answers::CountUnit& unit : counts.units) {
        for (CountRow& row : unit.rows) row.value += i + 1;
      }
    }
  }
  return timeline;
}

void expect_golden(std::string_view name, const std::string& actual) {
  const std::string path = std::string(WPERF_SOURCE_DIR "/tests/golden/").append(name);
  if (std::getenv("WPERF_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path << " is missing; WPERF_UPDATE_GOLDEN=1 writes it";
  const std::string expected{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(actual, expected) << path;
}

}  // namespace wperf::report::testing
