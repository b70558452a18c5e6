// SPDX-License-Identifier: BSD-3-Clause
// The immutable result of an SPE run: which kinds of operations were sampled at each place, and where loads and stores
// waited, and for which data source. `samples` has an event for each kind of operation ("OP/EVENTS"), a node for each
// place, and all names; other members refer to its functions and texts by index.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/answers/sampled_run.h"
#include "model/stacks/stack_profile.h"

namespace wperf::operations {

// An address of code with its names.
struct CodePlace {
  u64 address = 0;
  bool kernel = false;
  u32 symbol = 0;               // index into the functions; all places without a name share one
  u32 module = answers::kNone;  // index into the target's modules
  u32 file = answers::kNone;    // index into the texts
  u32 line = 0;                 // 0: not known
};

// Counts of SPE's own events while the cores sampled: sample_pop, sample_feed, sample_filtrate, sample_collision.
struct SpePopulation {
  u64 operations = 0;  // operations that samples were chosen from
  u64 chosen = 0;
  u64 recorded = 0;  // chosen operations that passed the filters
  u64 collided = 0;  // not chosen because the previous sample was not finished
};

// Losses on a core, by cause.
struct SpeCore {
  u32 core = 0;
  u64 records = 0;       // decoded
  u64 full = 0;          // number of times the buffer was full
  u64 stopped_ns = 0;    // how long sampling stopped because the buffer was full
  u64 collisions = 0;    // collisions reported with an interrupt
  u64 data_losses = 0;   // number of times the core reported lost records
  bool faulted = false;  // the buffer could not be written
  u64 damaged = 0;       // records with invalid bytes inside
  u64 bad_bytes = 0;     // bytes that were not packets
  u64 unfinished = 0;    // records that the end of a buffer cut
};

struct Latencies {
  u64 hits = 0;  // hits with a latency
  double mean = 0;
  u32 p50 = 0, p90 = 0, p99 = 0, longest = 0;
};

struct LatencyBucket {
  u32 first = 0, last = 0;  // cycles
  u64 hits = 0;
};

// The loads and stores of one group: a data source, a function or a line.
struct AccessCounts {
  u64 hits = 0, loads = 0, stores = 0;
  Latencies latency;
  double issue = 0, translation = 0;  // mean cycles of the operations with a latency
  u64 refills = 0, walks = 0, llc_misses = 0, remote = 0;
  u64 latency_sum = 0;  // cycles; tables are sorted by it
};

struct SourceRow {
  std::string name;     // "l2"; "stores" or "loads without source" if the core does not report the level
  std::string title{};  // "level 2 cache"; may be empty
  bool given = false;
  AccessCounts counts{};
  std::vector<LatencyBucket> histogram{};  // by powers of two, without empty buckets at the ends
};

struct AccessSymbolRow {
  u32 symbol = 0;
  AccessCounts counts{};
  u32 slowest_source = answers::kNone;  // index into sources: the source with the most cycles
};

struct AccessLineRow {
  u32 symbol = 0;
  u32 file = answers::kNone;  // kNone if no line is known; then `address` identifies the row
  u32 line = 0;
  u64 address = 0;  // address of the instruction with the most cycles
  AccessCounts counts{};
  u32 slowest_source = answers::kNone;
};

// A 4 KB page or a 64-byte line of data.
struct DataRow {
  u64 address = 0;
  u64 hits = 0, stores = 0, refills = 0, walks = 0, peer = 0;
  double mean_latency = 0;
  u32 threads = 0;             // only for lines: number of threads seen
  u32 place = answers::kNone;  // only for lines: the most frequent place; index into places
};

struct WalkRow {
  u32 place = 0;  // index into places
  u64 hits = 0, walks = 0;
  double translation = 0;  // mean cycles
};

struct BranchRow {
  u32 place = 0;  // index into places
  bool conditional = false, indirect = false;
  u64 hits = 0, mispredicted = 0, not_taken = 0;
  u64 top_target = 0;                     // the most frequent target; 0 if the branch was never taken
  u32 top_target_place = answers::kNone;  // index into places
  u64 top_target_hits = 0;
  u32 targets = 0;
};

// A candidate for false sharing: different threads use different offsets of one line, and at least one of them writes.
struct SharingPlace {
  u32 place = 0;  // index into places
  u32 thread = 0;
  u32 offset = 0;
  u64 hits = 0, stores = 0, refills = 0, peer = 0;
  double mean_latency = 0;
};
struct SharedLine {
  u64 address = 0;
  u64 hits = 0, refills = 0, peer = 0;
  double mean_latency = 0;
  u32 threads = 0;
  u64 without_place = 0;               // hits of places that are not in the list
  bool same_offset = false;            // threads also share an offset, so part of it is true sharing
  std::vector<SharingPlace> places{};  // most hits first
};

// Limits of the core that the report's notes must mention.
struct MemoryLimits {
  u64 saturated = 0;  // number of latencies at the limit of 4095 cycles
  u64 loads_without_source = 0, stores_without_source = 0;
  u64 unnamed_sources = 0;                       // hits whose source is a number without a published meaning
  std::vector<std::string> nameless_cores = {};  // kinds of cores without published names of sources
  bool threads_known = false;                    // false if no record has its thread
  // the percentiles of functions and lines are rounded up by at most 6.25 %
  bool latencies_rounded = false;
  u64 forgotten_lines = 0, forgotten_pages = 0;  // hits of data lines and pages that are not in the tables
  u64 line_count = 0, page_count = 0;            // the number of different data lines and pages
};

struct MemoryProfile {
  AccessCounts all;
  std::vector<SourceRow> sources;          // from near to far; unknown sources come last
  std::vector<LatencyBucket> histogram;    // all latencies, by powers of two
  std::vector<AccessSymbolRow> functions;  // ordered by cycles, the most first
  std::vector<AccessLineRow> code_lines;   // ordered by cycles, the most first
  std::vector<DataRow> pages;              // ordered by hits, the most first; at most kMostDataRows
  std::vector<DataRow> lines;              // ordered by hits, the most first; at most kMostDataRows
  std::vector<WalkRow> walks;              // ordered by walks, the most first
  std::vector<BranchRow> branches;         // ordered by mispredicts, the most first
  std::vector<SharedLine> shared;          // ordered by refills and peer answers, the most first
  MemoryLimits limits;
};
inline constexpr usize kMostDataRows = 4096;

struct SpeProfile {
  stacks::StackProfile samples;  // the first node and function stand for all other processes
  answers::SampledRun run;       // also has the samples of threads
  // the first one stands for all other processes; ordered by address; at equal addresses, user before kernel
  std::vector<CodePlace> places;
  std::vector<SpeCore> cores;  // ascending
  // mappings of code that were left out because there were too many; records in these mappings have no names
  u64 forgotten_mappings = 0;
  std::optional<SpePopulation> population;
  std::optional<MemoryProfile> memory;
};

// A function's name in the style of WindowsPerf: `name`, `name:module.dll`, `unknown`, `[kernel]`, `[other process]`.
std::string display_name(const SpeProfile& profile, u32 function);

}  // namespace wperf::operations
