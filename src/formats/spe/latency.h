// SPDX-License-Identifier: BSD-3-Clause
// Buckets for latencies, used if there are too many different ones: exact below 32 cycles, then sixteen per power of
// two, so that a bucket is at most 6.25 % wide. Pure.
#pragma once
#include <bit>

#include "base/ints.h"

namespace wperf::spe {

inline constexpr u32 kLatencyBuckets = 208;      // for the 16 bits of a counter packet
inline constexpr u32 kSaturatedLatency = 0xfff;  // the highest value of a 12-bit counter

namespace detail {
inline constexpr u32 kExactLatencies = 32, kLog2Exact = 5, kLog2Steps = 4;
}

constexpr u32 latency_bucket(u32 cycles) {
  if (cycles < detail::kExactLatencies) return cycles;
  if (cycles > 0xffff) cycles = 0xffff;
  const u32 octave = static_cast<u32>(std::bit_width(cycles)) - 1;
  const u32 step = cycles >> (octave - detail::kLog2Steps) & ((1U << detail::kLog2Steps) - 1);
  return detail::kExactLatencies + ((octave - detail::kLog2Exact) << detail::kLog2Steps) + step;
}

// The smallest latency in a bucket; for kLatencyBuckets, one more than the largest possible latency.
constexpr u32 first_latency(u32 bucket) {
  if (bucket < detail::kExactLatencies) return bucket;
  const u32 octave = detail::kLog2Exact + ((bucket - detail::kExactLatencies) >> detail::kLog2Steps);
  const u32 step = (bucket - detail::kExactLatencies) & ((1U << detail::kLog2Steps) - 1);
  return (1U << octave) + (step << (octave - detail::kLog2Steps));
}

constexpr u32 last_latency(u32 bucket) {
  return first_latency(bucket + 1) - 1;
}

// Rounds up to the largest latency of the bucket.
constexpr u32 rounded_up(u32 cycles) {
  return last_latency(latency_bucket(cycles));
}

}  // namespace wperf::spe
