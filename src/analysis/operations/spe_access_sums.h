// SPDX-License-Identifier: BSD-3-Clause
// Sums up loads and stores by group, with percentiles.
#pragma once
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "formats/spe/aggregator.h"

namespace wperf::operations {

// Groups are numbered from 0. The caller chooses the groups.
class AccessSums {
 public:
  explicit AccessSums(u32 groups) : sums_(groups) {}

  void add(u32 group, const spe::AccessSum& sum) { sums_[group].add(sum); }
  void add_latency(u32 group, u32 cycles, u64 hits) { latencies_.add(u64{group} << kCycleBits | cycles, hits); }
  // By group, with means and percentiles.
  std::vector<AccessCounts> counts() const;

 private:
  static constexpr u32 kCycleBits = 16;

  void add_percentiles(std::vector<AccessCounts>& counts) const;

  std::vector<spe::AccessSum> sums_;
  spe::CountTable latencies_;
};

// Latencies by powers of two: 0, 1, 2-3, 4-7 …
class Histogram {
 public:
  void add(u32 cycles, u64 hits);
  std::vector<LatencyBucket> take() const;

 private:
  std::vector<u64> octaves_;
};

}  // namespace wperf::operations
