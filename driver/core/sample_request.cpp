// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_request.h"

#include "driver/core/core_mask.h"
#include "driver/core/sample_ring.h"

namespace wperf::driver {
namespace {

constexpr u32 kKnownFlags = static_cast<u32>(WPERF_SAMPLE_KERNEL) | static_cast<u32>(WPERF_SAMPLE_JITTER);
constexpr u32 kMaxJitterShift = 31;

bool has_flag(const WperfSampleRequest& request, u32 flag) {
  return (request.flags & flag) != 0;
}

WperfStatus check_cores(const WperfSampleRequest& request, const HardwareFacts& machine) {
  if (count_cores(request.core_mask) == 0 || has_core_beyond(request.core_mask, machine.core_count)) {
    return WPERF_BAD_ARGUMENT;
  }
  return machine.every_core_counts ? WPERF_OK : WPERF_NOT_SUPPORTED;
}

WperfStatus check_events(const WperfSampleRequest& request, const HardwareFacts& machine) {
  if (request.event_count == 0 || request.event_count > kMaxSampleEvents) {
    return WPERF_BAD_ARGUMENT;
  }
  for (u32 i = 0; i < request.event_count; ++i) {
    if (request.events[i].interval == 0 || request.events[i].reserved != 0) {
      return WPERF_BAD_ARGUMENT;
    }
  }
  return request.event_count > machine.counters_free() ? WPERF_NO_COUNTERS : WPERF_OK;
}

u32 words_of_sample(const WperfSampleRequest& request) {
  return kKeptWords + (request.max_stack != 0 ? kUsualStackWords : 0);
}

}  // namespace

WperfStatus check_sample_request(const WperfSampleRequest& request, const HardwareFacts& machine, bool administrator) {
  const bool jitter = has_flag(request, WPERF_SAMPLE_JITTER);
  if ((request.flags & ~kKnownFlags) != 0 || request.jitter_shift > kMaxJitterShift ||
      (jitter && request.jitter_shift == 0) || request.max_stack > WPERF_MAX_STACK) {
    return WPERF_BAD_ARGUMENT;
  }
  const bool privileged = has_flag(request, WPERF_SAMPLE_KERNEL) || request.most_per_second > WPERF_SAMPLES_PER_SECOND;
  if (privileged && !administrator) {
    return WPERF_ACCESS_DENIED;
  }
  if (const WperfStatus status = check_cores(request, machine); status != WPERF_OK) {
    return status;
  }
  return check_events(request, machine);
}

SamplePlan plan_of(const WperfSampleRequest& request, const HardwareFacts& machine) {
  SamplePlan plan = {};
  plan.event_count = request.event_count;
  plan.jitter_shift = has_flag(request, WPERF_SAMPLE_JITTER) ? request.jitter_shift : 0;
  plan.kernel = has_flag(request, WPERF_SAMPLE_KERNEL);
  plan.most_per_second =
      request.most_per_second != 0 ? request.most_per_second : static_cast<u32>(WPERF_SAMPLES_PER_SECOND);
  plan.max_stack = request.max_stack;
  for (u32 i = 0; i < request.event_count; ++i) {
    plan.events[i] = request.events[i].event;
    plan.intervals[i] = request.events[i].interval;
    plan.counters[i] = machine.counter_map[i];
    plan.counter_mask |= u64{1} << plan.counters[i];
  }
  return plan;
}

u32 ring_samples_of(const WperfSampleRequest& request) {
  const u32 without = request.max_stack != 0 ? kDefaultStackRingSamples : kDefaultRingSamples;
  const u32 wanted = request.ring_samples != 0 ? request.ring_samples : without;
  const u32 cores = count_cores(request.core_mask);
  // With stacks there are two rings of such samples per core (user_walks.h).
  const u32 most = request.max_stack == 0 ? kMostSamples : kMostSamples * kKeptWords / (2 * words_of_sample(request));
  u32 samples = 1;
  while (samples < wanted && samples < kMostRingSamples && 2 * samples <= most / cores) {
    samples *= 2;
  }
  return samples;
}

u32 ring_words_of(const WperfSampleRequest& request) {
  return ring_samples_of(request) * words_of_sample(request);
}

}  // namespace wperf::driver
