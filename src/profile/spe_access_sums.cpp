// SPDX-License-Identifier: BSD-3-Clause
#include "profile/spe_access_sums.h"

#include <algorithm>
#include <bit>

#include "decode/spe/latency.h"

namespace wperf::profile {
namespace {

double mean_of(u64 sum, u64 count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// The least hits that make this share, at least one.
u64 rank_of(u64 hits, u32 percent) {
  return std::max<u64>(1, (hits / 100) * percent + ((hits % 100) * percent + 99) / 100);
}

}  // namespace

void AccessSums::add(u32 group, const decode::spe::AccessHits& row) {
  AccessCounts& counts = counts_[group];
  counts.hits += row.hits;
  (row.store ? counts.stores : counts.loads) += row.hits;
  counts.latency.hits += row.timed;
  counts.latency_sum += row.latency;
  counts.issue_sum += row.issue;
  counts.translation_sum += row.translation;
  counts.refills += row.refills;
  counts.walks += row.walks;
  counts.llc_misses += row.llc_misses;
  counts.remote += row.remote;
  counts.latency.longest = std::max(counts.latency.longest, row.longest);
}

void AccessSums::add(u32 group, const decode::spe::LatencyHits& row) {
  timed_.push_back({.key = u64{group} << 8 | row.bucket, .hits = row.hits});
}

std::vector<AccessCounts> AccessSums::take() {
  std::sort(timed_.begin(), timed_.end(), [](const Timed& a, const Timed& b) { return a.key < b.key; });
  for (usize i = 0; i < timed_.size();) {
    const u64 group = timed_[i].key >> 8;
    Latencies& latency = counts_[group].latency;
    const u64 half = rank_of(latency.hits, 50), most = rank_of(latency.hits, 90), nearly = rank_of(latency.hits, 99);
    u64 seen = 0;
    for (; i < timed_.size() && timed_[i].key >> 8 == group; ++i) {
      const u64 before = seen;
      seen += timed_[i].hits;
      const u32 last = std::min(decode::spe::last_latency(static_cast<u32>(timed_[i].key & 0xff)), latency.longest);
      if (before < half && half <= seen) latency.p50 = last;
      if (before < most && most <= seen) latency.p90 = last;
      if (before < nearly && nearly <= seen) latency.p99 = last;
    }
  }
  for (AccessCounts& counts : counts_) {
    counts.latency.mean = mean_of(counts.latency_sum, counts.latency.hits);
    counts.issue = mean_of(counts.issue_sum, counts.latency.hits);
    counts.translation = mean_of(counts.translation_sum, counts.latency.hits);
  }
  return std::move(counts_);
}

void Histogram::add(u32 bucket, u64 hits) {
  const usize octave = static_cast<usize>(std::bit_width(decode::spe::first_latency(bucket)));
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

}  // namespace wperf::profile
