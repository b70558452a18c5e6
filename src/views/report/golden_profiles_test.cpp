// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/golden_profiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

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

using answers::SampleModule;
using compat::CodeBlock;
using compat::CompatView;
using compat::LineRow;
using compat::SampledEvent;
using compat::Symbol;
using compat::SymbolKind;
using compat::SymbolRow;

constexpr u64 kExe = 0x7ff7a2b10000, kDll = 0x7ffa10000000, kNtdll = 0x7ffb50000000;
constexpr u32 kExeIndex = 0, kDllIndex = 1, kNtdllIndex = 2;

SampleModule module_at(const std::string& name, u64 base, u64 image_base) {
  SampleModule module;
  module.name = name;
  module.path = "C:\\work\\" + name;
  module.base = base;
  module.size = 0x10000;
  module.image_base = image_base;
  return module;
}

CompatView googolplex() {
  CompatView profile;
  profile.run.target.image_name = "googolplex.exe";
  profile.run.target.process = 4711;
  profile.run.target.pe_file = "C:\\work\\googolplex.exe";
  profile.run.target.pdb_file = "C:\\work\\googolplex.pdb";
  profile.run.target.base_address = kExe + 0x1000;
  profile.run.target.runtime_delta = kExe - 0x140000000;
  SampleModule exe = module_at("googolplex.exe", kExe, 0x140000000);
  exe.main = true;
  exe.pdb_file = "C:\\work\\googolplex.pdb";
  exe.sections = {{.name = ".text", .rva = 0x1000, .virtual_size = 0x53c},
                  {.name = ".rdata", .rva = 0x2000, .virtual_size = 0x2a8}};
  SampleModule dll = module_at("bignum.dll", kDll, 0x180000000);
  dll.pdb_file = "C:\\work\\bignum.pdb";
  dll.sections = {{.name = ".text", .rva = 0x1000, .virtual_size = 0x94c}};
  SampleModule ntdll = module_at("ntdll.dll", kNtdll, 0x180000000);
  ntdll.reason = "no PDB found (looked for ntdll.pdb beside the image)";
  profile.run.target.modules = {exe, dll, ntdll};
  profile.symbols = {{.kind = SymbolKind::function, .name = "big_mul", .module = kDllIndex},
                     {.kind = SymbolKind::function, .name = "main", .module = kExeIndex},
                     {.kind = SymbolKind::function, .name = "parse<\"x\">", .module = kExeIndex},
                     {.kind = SymbolKind::unknown, .name = {}},
                     {.kind = SymbolKind::other_process, .name = {}},
                     {.kind = SymbolKind::function, .name = "RtlAllocateHeap", .module = kNtdllIndex}};
  profile.files = {{.path = "C:\\work\\bignum.c", .text = "int f(void);\n\tsum += a[i] * b[j];\n\treturn sum;\n"},
                   {.path = "C:\\work\\gr\u00fcn\\googolplex.c", .text = {}}};
  profile.run.cores = {{.core = 1, .generated = 256}};
  profile.run.elapsed_seconds = 3.334;
  return profile;
}

SymbolRow row_of(u32 symbol, std::vector<compat::PcCount> pcs) {
  SymbolRow row;
  row.symbol = symbol;
  for (const compat::PcCount& pc : pcs) row.count += pc.count;
  row.pcs = std::move(pcs);
  return row;
}

LineRow line_of(u32 file, u32 line, u64 hits, u32 module, u32 hot_rva, u32 code_begin, u32 code_end) {
  LineRow row;
  row.file = file;
  row.line = line;
  row.hits = hits;
  row.module = module;
  row.hot_rva = hot_rva;
  row.code_begin = code_begin;
  row.code_end = code_end;
  return row;
}

SampledEvent event_of(std::string name, u16 code, u32 interval, std::vector<SymbolRow> rows) {
  SampledEvent event;
  event.name = std::move(name);
  event.code = code;
  event.interval = interval;
  for (const SymbolRow& row : rows) event.samples += row.count;
  event.rows = std::move(rows);
  return event;
}

CodeBlock block_of(u32 module, u32 begin, std::vector<compat::Instruction> instructions) {
  CodeBlock block;
  block.module = module;
  block.begin = begin;
  block.end = begin + 4 * static_cast<u32>(instructions.size());
  block.instructions = std::move(instructions);
  return block;
}

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

CompatView two_events_sampled() {
  CompatView profile = googolplex();
  profile.run.exit_code = 0;
  SymbolRow mul = row_of(0, {{kDll + 0x1034, 150}, {kDll + 0x1030, 40}, {kDll + 0x103c, 5}});
  mul.lines = {line_of(0, 2, 190, kDllIndex, 0x1034, 0x1030, 0x103c),
               line_of(0, 1234, 5, kDllIndex, 0x103c, 0x103c, 0x1040)};
  mul.lines[0].inlined = {{.function = "widen", .file = 1, .line = 12, .hits = 40}};
  SymbolRow main = row_of(1, {{kExe + 0x1100, 30}});
  main.lines = {line_of(1, 77, 30, kExeIndex, 0x1100, 0, 0)};
  SymbolRow parse = row_of(2, {{kExe + 0x1200, 16}, {kExe + 0x1204, 4}});
  SymbolRow unknown = row_of(3, {{0x12345678, 3}});
  SymbolRow other = row_of(4, {});
  other.count = 8;
  profile.events = {event_of("cycle", 0x11, 0x8000000, {mul, main}),
                    event_of("ld_spec", 0x70, 100'000, {std::move(mul), std::move(main), parse, other, unknown})};
  profile.events[0].fixed = true;
  profile.code = {block_of(kDllIndex, 0x1030,
                           {{.rva = 0x1030, .text = "ldr   w12, [x1, x9, lsl #2]"},
                            {.rva = 0x1034, .text = "umaddl x11, w12, w13, x11"},
                            {.rva = 0x1038, .text = "b.ne  0x180001010 <big_mul+0x10>"}}),
                  block_of(kDllIndex, 0x103c, {{.rva = 0x103c, .text = "ret"}})};
  for (SampleModule& module : profile.run.target.modules) module.samples = 0;
  profile.run.target.modules[kDllIndex].samples = 390;
  profile.run.target.modules[kExeIndex].samples = 80;
  return profile;
}

CompatView three_cores_sampled() {
  CompatView profile = googolplex();
  SymbolRow mul = row_of(0, {{kDll + 0x1034, 600}});
  mul.over_time = {100, 200, 300};
  SymbolRow heap = row_of(5, {{kNtdll + 0x40, 250}});
  heap.over_time = {250, 0, 0};
  SymbolRow main = row_of(1, {{kExe + 0x1100, 150}});
  main.over_time = {50, 50, 50};
  SampledEvent event = event_of("ld_spec", 0x70, 50'000, {std::move(mul), std::move(heap), std::move(main)});
  event.processes = {{.process = 4711, .name = "googolplex.exe", .count = 1000}};
  event.threads = {{.process = 4711, .thread = 4712, .count = 700}, {.process = 4711, .thread = 4713, .count = 300}};
  event.modules = {{.module = kDllIndex, .kind = SymbolKind::function, .count = 600},
                   {.module = kNtdllIndex, .kind = SymbolKind::function, .count = 250},
                   {.module = kExeIndex, .kind = SymbolKind::function, .count = 150}};
  event.cores = {{.core = 0, .count = 400}, {.core = 2, .count = 500}, {.core = 10, .count = 100}};
  event.callers = {{.symbol = 0, .caller = 1, .count = 500},
                   {.symbol = 0, .caller = answers::kNone, .count = 100},
                   {.symbol = 5, .caller = 1, .count = 250},
                   {.symbol = 1, .caller = answers::kNone, .count = 150}};
  profile.events = {std::move(event)};
  profile.run.target.modules[kDllIndex].samples = 600;
  profile.run.target.modules[kNtdllIndex].samples = 250;
  profile.run.target.modules[kExeIndex].samples = 150;
  profile.run.cores = {{.core = 0, .generated = 1400, .lost_ring_full = 1000, .lost_filtered = 0},
                       {.core = 2, .generated = 500},
                       {.core = 10, .generated = 105, .lost_ring_full = 0, .lost_filtered = 5}};
  profile.slices = {.count = 3, .length_ns = 500'000'000};
  profile.run.elapsed_seconds = 1.5;
  return profile;
}

CompatView nothing_sampled() {
  CompatView profile = googolplex();
  profile.events = {event_of("ld_spec", 0x70, 100'000, {})};
  profile.run.cores = {{.core = 1}};
  profile.run.elapsed_seconds = 1;
  return profile;
}

CompatView many_functions_sampled(u32 functions) {
  CompatView profile = googolplex();
  profile.symbols.clear();
  std::vector<SymbolRow> rows;
  for (u32 i = 0; i < functions; ++i) {
    profile.symbols.push_back(
        {.kind = SymbolKind::function, .name = fmt::format("function_{}", i), .module = kDllIndex});
    rows.push_back(row_of(i, {{kDll + u64{i} * 0x400, u64{functions} - i}}));
    std::vector<compat::Instruction> instructions;
    for (u32 rva = i * 0x400; rva < i * 0x400 + 0x400; rva += 4) {
      instructions.push_back({.rva = rva, .text = "add   x1, x2, x3"});
    }
    profile.code.push_back(block_of(kDllIndex, i * 0x400, std::move(instructions)));
    rows.back().lines = {line_of(0, i + 1, rows.back().count, kDllIndex, i * 0x400, i * 0x400, i * 0x400 + 0x400)};
  }
  profile.events = {event_of("ld_spec", 0x70, 100'000, std::move(rows))};
  return profile;
}

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
