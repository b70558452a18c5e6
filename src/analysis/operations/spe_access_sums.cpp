// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_access_sums.h"

#include <algorithm>
#include <bit>

namespace wperf::operations {
namespace {

double mean_of(u64 sum, u64 count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// The smallest number of hits that is at least this share of all hits; at least one.
u64 rank_of(u64 hits, u32 percent) {
  return std::max<u64>(1, (hits / 100) * percent + ((hits % 100) * percent + 99) / 100);
}

}  // namespace

std::vector<AccessCounts> AccessSums::counts() const {
  std::vector<AccessCounts> counts;
  counts.reserve(sums_.size());
  for (const spe::AccessSum& sum : sums_) {
    AccessCounts& one = counts.emplace_back();
    one.hits = sum.hits;
    one.loads = sum.hits - sum.stores;
    one.stores = sum.stores;
    one.latency = {.hits = sum.timed, .mean = mean_of(sum.latency, sum.timed), .longest = sum.longest};
    one.issue = mean_of(sum.issue, sum.timed);
    one.translation = mean_of(sum.translation, sum.timed);
    one.refills = sum.refills;
    one.walks = sum.walks;
    one.llc_misses = sum.llc_misses;
    one.remote = sum.remote;
    one.latency_sum = sum.latency;
  }
  add_percentiles(counts);
  return counts;
}

void AccessSums::add_percentiles(std::vector<AccessCounts>& counts) const {
  struct Timed {
    u64 key = 0, hits = 0;
  };
  std::vector<Timed> timed;
  timed.reserve(latencies_.size());
  latencies_.for_each([&](u64 key, u64 hits) { timed.push_back({.key = key, .hits = hits}); });
  std::sort(timed.begin(), timed.end(), [](const Timed& a, const Timed& b) { return a.key < b.key; });
  for (usize i = 0; i < timed.size();) {
    const u64 group = timed[i].key >> kCycleBits;
    Latencies& latency = counts[group].latency;
    const u64 half = rank_of(latency.hits, 50), most = rank_of(latency.hits, 90), nearly = rank_of(latency.hits, 99);
    u64 seen = 0;
    for (; i < timed.size() && timed[i].key >> kCycleBits == group; ++i) {
      const u64 before = seen;
      seen += timed[i].hits;
      // A latency that was rounded up must not exceed the longest latency.
      const u32 cycles = std::min(static_cast<u32>(timed[i].key & ((u64{1} << kCycleBits) - 1)), latency.longest);
      if (before < half && half <= seen) latency.p50 = cycles;
      if (before < most && most <= seen) latency.p90 = cycles;
      if (before < nearly && nearly <= seen) latency.p99 = cycles;
    }
  }
}

void Histogram::add(u32 cycles, u64 hits) {
  const usize octave = static_cast<usize>(std::bit_width(cycles));
  if (octave >= octaves_.size()) octaves_.resize(octave + 1);
  octaves_[octave] += hits;
}

std::vector<LatencyBucket> Histogram::take() const {
  std::vector<LatencyBucket> buckets;
  for (usize octave = 0; octave < octaves_.size(); ++octave) {
    if (octaves_[octave] == 0 && buckets.empty()) continue;
    const u32 end = 1U << octave;
    buckets.push_back({.first = end / 2, .last = end - 1, .hits = octaves_[octave]});
  }
  return buckets;
}

}  // namespace wperf::operations
