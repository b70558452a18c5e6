// SPDX-License-Identifier: BSD-3-Clause
// Records → counts. Memory grows with what is distinct (addresses of code, kinds of operations), never with the number
// of records; data addresses, of which there may be as many as records, are kept up to a cap, the busiest longest.
// Names nothing. Called by pipeline with each record of each core; profile/spe_profile_builder.h makes the answer of
// it.
//
//   Tally tally({.memory = true});
//   tally.set_data_sources(core, find_data_source_family(midr));
//   for_each_record(bytes, state, [&](const Record& record) { tally.add({.core = core}, record); });
//
// Cores may be decoded side by side, each into a tally of its own; merge() joins them.
#pragma once
#include <compare>
#include <vector>

#include "base/ints.h"
#include "decode/spe/data_sources.h"
#include "decode/spe/flat_table.h"
#include "decode/spe/operation_name.h"
#include "decode/spe/record.h"

namespace wperf::decode::spe {

struct TallyOptions {
  bool memory = false;  // latencies, data addresses, branches: what `--mem` shows
  u32 most_lines = 1U << 17;
  u32 most_pages = 1U << 17;
  u32 most_owners = 1U << 16;  // threads × cores × kinds of operations; more are counted as of kNoThread
  u32 most_places = 16;        // of code that touched one line; more are counted without place
};

inline constexpr u32 kNoThread = ~u32{0};
inline constexpr u32 kThreadOfRecord = kNoThread - 1;
inline constexpr u64 kLineBytes = 64, kPageBytes = 4096;

// Where a record was taken, as far as the caller knows.
struct Origin {
  u32 core = 0;
  u32 thread = kThreadOfRecord;  // or what its context packet says
  bool other_process = false;    // known not to be of the process that is looked at
};

// The thread of a record: what the origin says, else its context packet; kNoThread: nobody says.
u32 thread_of(const Origin& origin, const Record& record);

// Where code ran.
struct Site {
  u64 pc = 0;
  bool kernel = false;
  bool other_process = false;

  friend auto operator<=>(const Site&, const Site&) = default;
};

// A data source as the core gave it, with the family that knows its name.
class SourceCode {
 public:
  static constexpr u32 kNotGiven = ~u32{0};

  SourceCode() = default;
  explicit SourceCode(u32 code) : code_(code) {}
  // `family`: 1 + index into data_source_families(), 0: unknown.
  SourceCode(u32 family, u64 value) : code_(family << 16 | static_cast<u32>(value > 0xffff ? 0xffff : value)) {}

  u32 code() const { return code_; }
  bool given() const { return code_ != kNotGiven; }
  u64 value() const { return code_ & 0xffff; }
  const DataSourceFamily* family() const;
  const DataSource* source() const;  // null: not given or not public

  friend auto operator<=>(const SourceCode&, const SourceCode&) = default;

 private:
  u32 code_ = kNotGiven;
};

// How often one kind of operation was seen at one place. The sums of all are the records.
struct EventHits {
  Site site;
  OperationName operation = OperationName::other;
  u64 events = 0;  // contract_events()
  u64 hits = 0;
};
// The same by where it ran.
struct OwnerHits {
  OperationName operation = OperationName::other;
  u64 events = 0;
  u32 core = 0, thread = kNoThread;
  u64 hits = 0;
};

// Loads or stores of one place, by data source. Latencies in cycles; `timed` of them had any.
struct AccessHits {
  Site site;
  bool store = false;
  SourceCode source;
  u64 hits = 0, timed = 0;
  u64 latency = 0, issue = 0, translation = 0;  // sums
  u64 refills = 0, walks = 0, llc_misses = 0, remote = 0, saturated = 0;
  u32 longest = 0;
};
struct LatencyHits {
  Site site;
  bool store = false;
  SourceCode source;
  u32 bucket = 0;  // latency.h
  u64 hits = 0;
};

// One branch and one of its targets.
struct BranchHits {
  Site site;
  u64 target = 0;  // not taken: the instruction behind
  bool conditional = false, indirect = false;
  u64 hits = 0, mispredicted = 0, not_taken = 0;
};

// What happened to a line or a page.
struct DataCounts {
  u64 hits = 0, stores = 0, refills = 0, walks = 0;
  u64 peer = 0;  // the data came from the cache of another core, or had been modified there
  u64 latency = 0, timed = 0;

  void add(const DataCounts& other);
};
struct PageHits {
  u64 address = 0;
  bool other_process = false;
  DataCounts counts;
};
// One instruction of one thread at one offset of a line.
struct LinePlace {
  Site site;
  u32 thread = kNoThread;
  u32 offset = 0;
  DataCounts counts;
};
struct LineHits {
  u64 address = 0;
  bool other_process = false;
  DataCounts counts;
  std::vector<LinePlace> places;  // in the order they were first seen
  u64 without_place = 0;          // hits beyond TallyOptions::most_places
};

class Tally {
 public:
  explicit Tally(TallyOptions options = {}) : options_(options) {}

  // Null: nothing is known of this core; its sources are shown as numbers.
  void set_data_sources(u32 core, const DataSourceFamily* family);

  void add(const Origin& origin, const Record& record);
  void merge(const Tally& other);

  const TallyOptions& options() const { return options_; }
  u64 records() const { return records_; }
  u64 damaged() const { return damaged_; }                  // records, counted like others
  u64 forgotten_lines() const { return forgotten_lines_; }  // hits of lines that made room for others
  u64 forgotten_pages() const { return forgotten_pages_; }
  usize bytes() const;  // of the tables

  // In no order that means anything.
  std::vector<EventHits> events() const;
  std::vector<OwnerHits> owners() const;
  std::vector<AccessHits> accesses() const;
  std::vector<LatencyHits> latencies() const;
  std::vector<BranchHits> branches() const;
  std::vector<PageHits> pages() const;
  std::vector<LineHits> lines() const;

 private:
  struct Access {
    u64 hits = 0, timed = 0, latency = 0, issue = 0, translation = 0;
    u64 refills = 0, walks = 0, llc_misses = 0, remote = 0, saturated = 0;
    u64 longest = 0;
  };
  struct Branch {
    u64 hits = 0, mispredicted = 0, not_taken = 0;
  };
  struct Line {
    DataCounts counts;
    std::vector<LinePlace> places;
    u64 without_place = 0;
  };

  void add_owner(u64 key, u32 core, u32 thread, u64 hits);
  void add_memory(const Origin& origin, u32 thread, const Record& record);
  void add_branch(const Origin& origin, const Record& record);
  void add_place(Line& line, const LinePlace& place);
  void shrink_lines();
  void shrink_pages();
  SourceCode source_of(u32 core, const Record& record) const;

  TallyOptions options_;
  std::vector<u32> families_;  // by core: 1 + index into data_source_families(), 0: unknown
  u64 records_ = 0, damaged_ = 0;
  u64 forgotten_lines_ = 0, forgotten_pages_ = 0;
  // Keys: see tally.cpp.
  DelayedCounts events_, latencies_;
  FlatTable<u64> owners_;
  FlatTable<Access> accesses_;
  FlatTable<Branch> branches_;
  FlatTable<DataCounts> pages_;
  FlatTable<Line> lines_;
};

}  // namespace wperf::decode::spe
