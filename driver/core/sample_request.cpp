// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_request.h"

#include "driver/core/core_mask.h"
#include "driver/core/pmu_registers.h"

namespace wperf::driver {
namespace {

constexpr u32 kKnownFlags = static_cast<u32>(WPERF_SAMPLE_KERNEL) | static_cast<u32>(WPERF_SAMPLE_JITTER);
constexpr u32 kMaxJitterShift = 31;

bool has_flag(const WperfSampleRequest& request, u32 flag) {
  return (request.flags & flag) != 0;
}

WperfStatus check_cores(const WperfSampleRequest& request, const Machine& machine) {
  if (count_cores(request.core_mask) == 0 || has_core_beyond(request.core_mask, machine.core_count)) {
    return WPERF_BAD_ARGUMENT;
  }
  return machine.every_core_counts ? WPERF_OK : WPERF_NOT_SUPPORTED;
}

// The fixed counter takes the first event that counts cycles; every other one needs a programmable counter.
u32 programmable_events(const WperfSampleRequest& request) {
  for (u32 i = 0; i < request.event_count; ++i) {
    if (request.events[i].event == kCyclesEvent) {
      return request.event_count - 1;
    }
  }
  return request.event_count;
}

WperfStatus check_events(const WperfSampleRequest& request, const Machine& machine) {
  if (request.event_count == 0 || request.event_count > kMaxSampleEvents) {
    return WPERF_BAD_ARGUMENT;
  }
  for (u32 i = 0; i < request.event_count; ++i) {
    if (request.events[i].interval == 0 || request.events[i].reserved != 0) {
      return WPERF_BAD_ARGUMENT;
    }
  }
  return programmable_events(request) > machine.counters_free() ? WPERF_NO_COUNTERS : WPERF_OK;
}

}  // namespace

WperfStatus check_sample_request(const WperfSampleRequest& request, const Machine& machine, bool administrator) {
  const bool jitter = has_flag(request, WPERF_SAMPLE_JITTER);
  if ((request.flags & ~kKnownFlags) != 0 || request.jitter_shift > kMaxJitterShift ||
      (jitter && request.jitter_shift == 0)) {
    return WPERF_BAD_ARGUMENT;
  }
  if (has_flag(request, WPERF_SAMPLE_KERNEL) && !administrator) {
    return WPERF_ACCESS_DENIED;
  }
  if (const WperfStatus status = check_cores(request, machine); status != WPERF_OK) {
    return status;
  }
  return check_events(request, machine);
}

SamplePlan plan_of(const WperfSampleRequest& request, const Machine& machine) {
  SamplePlan plan = {};
  plan.event_count = request.event_count;
  plan.jitter_shift = has_flag(request, WPERF_SAMPLE_JITTER) ? request.jitter_shift : 0;
  plan.kernel = has_flag(request, WPERF_SAMPLE_KERNEL);
  u32 used = 0;
  for (u32 i = 0; i < request.event_count; ++i) {
    const bool fixed = request.events[i].event == kCyclesEvent && !plan.uses_cycle_counter;
    plan.uses_cycle_counter = plan.uses_cycle_counter || fixed;
    plan.events[i] = request.events[i].event;
    plan.intervals[i] = request.events[i].interval;
    plan.counters[i] = fixed ? static_cast<u8>(kCycleCounter) : machine.counter_map[used++];
    plan.counter_mask |= u64{1} << plan.counters[i];
  }
  return plan;
}

u32 ring_samples_of(const WperfSampleRequest& request) {
  const u32 wanted = request.ring_samples != 0 ? request.ring_samples : kDefaultRingSamples;
  const u32 cores = count_cores(request.core_mask);
  u32 samples = 1;
  while (samples < wanted && samples < kMostRingSamples && 2 * samples <= kMostSamples / cores) {
    samples *= 2;
  }
  return samples;
}

}  // namespace wperf::driver
