// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores summed by group, with percentiles. Called by spe_memory.cpp.
#pragma once
#include <vector>

#include "decode/spe/tally.h"
#include "profile/spe_profile.h"

namespace wperf::profile {

// Groups are numbers from 0; a row belongs to one, which the caller tells.
class AccessSums {
 public:
  explicit AccessSums(u32 groups) : counts_(groups) {}

  void add(u32 group, const decode::spe::AccessHits& row);
  void add(u32 group, const decode::spe::LatencyHits& row);
  // Means and percentiles are known now. By group.
  std::vector<AccessCounts> take();

 private:
  struct Timed {
    u64 key = 0;  // group << 8 | bucket
    u64 hits = 0;
  };
  std::vector<AccessCounts> counts_;
  std::vector<Timed> timed_;
};

// Latencies by power of two: 0, 1, 2-3, 4-7 …
class Histogram {
 public:
  void add(u32 bucket, u64 hits);
  std::vector<LatencyBucket> take() const;

 private:
  std::vector<u64> octaves_;
};

}  // namespace wperf::profile
