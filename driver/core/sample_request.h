// SPDX-License-Identifier: BSD-3-Clause
// Checks a client's sample request against the machine and turns it into what the session works from. Pure.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/machine.h"

namespace wperf::driver {

inline constexpr u32 kMaxSampleEvents = WPERF_MAX_COUNTERS + 1;
inline constexpr u32 kCyclesEvent = 0x11;

// Samples a ring holds. The default is over six times what 50,000 samples a second bring between two visits of a client
// that comes every 100 ms. Rings lie in memory that is never paged, so a client gets no more than `kMostSamples` in
// all.
inline constexpr u32 kDefaultRingSamples = 1u << 15;
inline constexpr u32 kMostRingSamples = 1u << 17;
inline constexpr u32 kMostSamples = 1u << 23;

// What is sampled; the same on all cores. Event n is bit n of WperfSample::overflowed.
struct SamplePlan {
  u32 event_count;
  u32 jitter_shift;  // 0 = none
  bool kernel;
  bool uses_cycle_counter;
  u64 counter_mask;  // our bits in the enable, interrupt and overflow registers
  u32 intervals[kMaxSampleEvents];
  u16 events[kMaxSampleEvents];
  u8 counters[kMaxSampleEvents];  // hardware counter, or kCycleCounter
};

[[nodiscard]] WperfStatus check_sample_request(const WperfSampleRequest& request, const Machine& machine,
                                               bool administrator);

// Only valid for a request that passed the check.
SamplePlan plan_of(const WperfSampleRequest& request, const Machine& machine);
u32 ring_samples_of(const WperfSampleRequest& request);

}  // namespace wperf::driver
