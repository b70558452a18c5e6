// SPDX-License-Identifier: BSD-3-Clause
// Counts SPE records. Memory grows with the number of distinct values (addresses of code, kinds of operations), not
// with the number of records. There may be as many data addresses as records, so their number is limited; the busiest
// are kept (touched_data.h). Does not find names: spe_profile_builder.h makes tables from the counts.
//
//   Aggregator aggregator({.memory = true});
//   aggregator.set_data_sources(core, find_data_source_family(midr));
//   for_each_record(bytes, state, [&](const Record& record) { aggregator.add({.core = core}, record); });
//
// Several cores may be decoded in parallel, each into its own aggregator; merge() joins them.
#pragma once
#include <array>
#include <compare>
#include <vector>

#include "base/ints.h"
#include "formats/spe/contract_names.h"
#include "formats/spe/data_sources.h"
#include "formats/spe/number_table.h"
#include "formats/spe/operation_record.h"
#include "formats/spe/touched_data.h"

namespace wperf::spe {

struct AggregatorOptions {
  bool memory = false;  // counts latencies, data addresses and branches, for `--mem`
  u32 most_lines = 1U << 17;
  u32 most_pages = 1U << 17;
  u32 most_owners = 1U << 16;     // threads × cores × kinds of operations; further combinations count as kNoThread
  u32 most_places = 16;           // for each line, the number of places of code that are kept; hits of further places
                                  // are counted without a place
  u32 most_latencies = 1U << 22;  // places of code × latencies; if there are more, all latencies are rounded up
                                  // (latency.h)
};

inline constexpr u32 kNoThread = ~u32{0};
inline constexpr u32 kThreadOfRecord = kNoThread - 1;

// Facts about a record that the record itself does not contain.
struct Origin {
  u32 core = 0;
  u32 thread = kThreadOfRecord;  // kThreadOfRecord: the thread in the context packet
  bool other_process = false;    // the record certainly does not belong to the measured process
};

// The thread of a record, from the origin or from its context packet; kNoThread if neither has it.
u32 thread_of(const Origin& origin, const Record& record);

// A place of code. Aggregators number sites, and rows refer to them by number.
struct Site {
  u64 pc = 0;
  bool kernel = false;
  bool other_process = false;

  friend auto operator<=>(const Site&, const Site&) = default;
};

// A data source as the core reported it, with the family of cores that defines its name.
class SourceCode {
 public:
  static constexpr u32 kNotGiven = ~u32{0};

  SourceCode() = default;
  explicit SourceCode(u32 code) : code_(code) {}
  // `family`: 1 + index into data_source_families(), 0 if unknown.
  SourceCode(u32 family, u64 value) : code_(family << 16 | static_cast<u32>(value > 0xffff ? 0xffff : value)) {}

  u32 code() const { return code_; }
  bool given() const { return code_ != kNotGiven; }
  u64 value() const { return code_ & 0xffff; }
  const DataSourceFamily* family() const;
  const DataSource* source() const;  // null: not reported, or not published

  friend auto operator<=>(const SourceCode&, const SourceCode&) = default;

 private:
  u32 code_ = kNotGiven;
};

// How often one kind of operation occurred at one place. The sum of all rows is the number of records.
struct EventHits {
  u32 site = 0;
  OperationName operation = OperationName::other;
  u64 events = 0;  // see contract_events()
  u64 hits = 0;
};
// How often one kind of operation occurred, for each thread and core.
struct OwnerHits {
  OperationName operation = OperationName::other;
  u64 events = 0;
  u32 core = 0, thread = kNoThread;
  u64 hits = 0;
};

// Sums over loads and stores. Latencies are in cycles; `timed` counts operations that have a latency.
struct AccessSum {
  u64 hits = 0, stores = 0, timed = 0;
  u64 latency = 0, issue = 0, translation = 0;
  u64 refills = 0, walks = 0, llc_misses = 0, remote = 0, saturated = 0;
  u32 longest = 0;

  void add(const AccessSum& other);
};
// The loads and stores at one place.
struct SiteAccesses {
  u32 site = 0;
  AccessSum sum;
};
// The loads or stores that one data source served.
struct SourceAccesses {
  bool store = false;
  SourceCode source;
  AccessSum sum;
};
// The cycles that loads or stores at one place waited for one data source.
struct Wait {
  u32 site = 0;
  u32 source = 0;  // index into sources()
  u64 cycles = 0;
};
// How many loads or stores took this number of cycles, at a site or from a data source (index into sources()).
struct LatencyHits {
  u32 of = 0;
  u32 cycles = 0;
  u64 hits = 0;
};

// A branch and one of its targets.
struct BranchHits {
  Site site;
  u64 target = 0;  // the next instruction if the branch was not taken
  bool conditional = false, indirect = false;
  u64 hits = 0, mispredicted = 0, not_taken = 0;
};

class Aggregator {
 public:
  explicit Aggregator(AggregatorOptions options = {})
      : options_(options),
        data_(
            {.most_lines = options.most_lines, .most_pages = options.most_pages, .most_places = options.most_places}) {}

  // Null if the core is unknown; then its data sources are shown as numbers.
  void set_data_sources(u32 core, const DataSourceFamily* family);

  void add(const Origin& origin, const Record& record);
  void merge(const Aggregator& other);

  const AggregatorOptions& options() const { return options_; }
  u64 records() const { return records_; }
  u64 damaged() const { return damaged_; }  // damaged records; they are also included in all other counts
  usize bytes() const;                      // memory of the tables
  // If true, latencies of sites are rounded up to the end of their bucket. Latencies of data sources are always exact.
  bool latencies_rounded() const { return latencies_rounded_; }

  u32 site_count() const {
    settle();
    return sites_.size();
  }
  Site site(u32 number) const;
  const TouchedData& data() const { return data_; }

  // The order is arbitrary, but the same for the same records in the same order.
  std::vector<OwnerHits> owners() const;
  std::vector<SourceAccesses> sources() const;
  std::vector<BranchHits> branches() const;
  // Calls callback(const EventHits&), (const SiteAccesses&), (const Wait&) or (const LatencyHits&).
  template <class Callback>
  void for_each_event(Callback&& callback) const {
    settle();
    events_.for_each([&](u64 key, u64 hits) {
      callback(EventHits{.site = static_cast<u32>(key >> kKindBits),
                         .operation = static_cast<OperationName>(key >> kEventBits & 0xf),
                         .events = key & ((u64{1} << kEventBits) - 1),
                         .hits = hits});
    });
  }
  template <class Callback>
  void for_each_access(Callback&& callback) const {
    for (u32 i = 0; i < site_sums_.size(); ++i) {
      callback(SiteAccesses{.site = static_cast<u32>(access_sites_.key(i)), .sum = site_sums_[i]});
    }
  }
  template <class Callback>
  void for_each_wait(Callback&& callback) const {
    waits_.for_each([&](u64 key, u64 cycles) {
      callback(Wait{.site = static_cast<u32>(key >> 32), .source = static_cast<u32>(key), .cycles = cycles});
    });
  }
  template <class Callback>
  void for_each_latency_of_site(Callback&& callback) const {
    for_each_latency(latencies_of_sites_, callback);
  }
  template <class Callback>
  void for_each_latency_of_source(Callback&& callback) const {
    for_each_latency(latencies_of_sources_, callback);
  }

 private:
  struct Branch {
    u64 hits = 0, mispredicted = 0, not_taken = 0;
  };
  // A kind of operation: its name in the upper bits, its events in the lower.
  static constexpr u32 kEventBits = 20, kKindBits = 24, kLatencyBits = 16;

  template <class Callback>
  static void for_each_latency(const CountTable& table, Callback&& callback) {
    table.for_each([&](u64 key, u64 hits) {
      callback(LatencyHits{.of = static_cast<u32>(key >> kLatencyBits),
                           .cycles = static_cast<u32>(key & ((u64{1} << kLatencyBits) - 1)),
                           .hits = hits});
    });
  }
  // The data of a record that waits until the number of its site is known.
  struct Pending {
    u64 site = 0, kind = 0;  // key of the site, kind of operation
  };
  static constexpr usize kMostPending = 32;
  void wait_for_site(u64 site, u64 kind);
  void settle() const;
  void add_owner(u64 kind, u32 core, u32 thread, u64 hits);
  void add_memory(const Origin& origin, u32 thread, u32 site, const Record& record);
  void add_branch(u64 whose, u32 site, const Record& record);
  void merge_branches(const Aggregator& other, const std::vector<u32>& sites);
  AccessSum& accesses_at(u32 site);
  AccessSum& accesses_from(u32 source);
  void round_latencies();
  SourceCode source_of(u32 core, const Record& record) const;

  AggregatorOptions options_;
  std::vector<u32> families_;  // by core: 1 + index into data_source_families(), 0 if unknown
  u64 records_ = 0, damaged_ = 0;
  bool latencies_rounded_ = false;

  // Pending records belong to the sums; they are added before the sums are read.
  mutable std::array<Pending, kMostPending> pending_{};
  mutable usize pending_count_ = 0;
  mutable NumberTable sites_;    // keyed by pc and owner
  NumberTable owner_numbers_;    // core << 32 | thread
  NumberTable source_numbers_;   // store << 32 | source
  NumberTable access_sites_;     // site
  NumberTable branch_numbers_;   // site, target, kind: see aggregator.cpp
  Column<AccessSum> site_sums_;  // by the number in access_sites_
  std::vector<AccessSum> source_sums_;
  Column<Branch> branches_;
  mutable CountTable events_;        // site << 24 | kind
  CountTable owners_;                // owner << 24 | kind
  CountTable waits_;                 // site << 32 | source
  CountTable latencies_of_sites_;    // site << 16 | cycles
  CountTable latencies_of_sources_;  // source << 16 | cycles
  TouchedData data_;
};

}  // namespace wperf::spe
