// SPDX-License-Identifier: BSD-3-Clause
// Checks a client's sample request against the machine and turns it into the plan of the session. Pure.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/hardware_facts.h"

namespace wperf::driver {

inline constexpr u32 kMaxSampleEvents = WPERF_MAX_COUNTERS;

// The number of samples that a ring holds. The default is over six times the samples between two drains of a client
// that drains every 100 ms, at 50,000 samples a second. Rings are in non-paged memory, so a client gets no more than
// `kMostSamples` in total.
inline constexpr u32 kDefaultRingSamples = 1u << 15;
inline constexpr u32 kDefaultStackRingSamples = 1u << 13;  // for each of the two rings of samples with stacks
inline constexpr u32 kMostRingSamples = 1u << 17;
inline constexpr u32 kMostSamples = 1u << 23;
inline constexpr u32 kUsualStackWords = 16;

// The sampled events, the same on all cores. Event n is bit n of WperfSample::overflowed.
struct SamplePlan {
  u32 event_count;
  u32 jitter_shift;  // 0 = no jitter
  bool kernel;
  u32 most_per_second;
  u32 max_stack;     // 0 for samples without stacks
  u64 counter_mask;  // the driver's bits in the enable, interrupt and overflow registers
  u32 intervals[kMaxSampleEvents];
  u16 events[kMaxSampleEvents];
  u8 counters[kMaxSampleEvents];  // hardware counters
};

[[nodiscard]] WperfStatus check_sample_request(const WperfSampleRequest& request, const HardwareFacts& machine,
                                               bool administrator);

// Only valid for a request that passed the check.
SamplePlan plan_of(const WperfSampleRequest& request, const HardwareFacts& machine);
u32 ring_samples_of(const WperfSampleRequest& request);
// Words of a ring for that many samples, with stacks of the usual depth if the request has stacks.
u32 ring_words_of(const WperfSampleRequest& request);

}  // namespace wperf::driver
