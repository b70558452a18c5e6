// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/spe_request.h"

#include "driver/core/core_mask.h"
#include "driver/core/pmu_registers.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {
namespace {

struct FlagBit {
  u32 flag;
  u64 bit;
};
constexpr FlagBit kControls[] = {{WPERF_SPE_KERNEL, kPmscrEl1},
                                 {WPERF_SPE_TIMESTAMPS, kPmscrTimestamps},
                                 {WPERF_SPE_PHYSICAL, kPmscrPhysical},
                                 {WPERF_SPE_CONTEXT, kPmscrContext}};
constexpr FlagBit kTypes[] = {
    {WPERF_SPE_LOADS, kPmsfcrLoads}, {WPERF_SPE_STORES, kPmsfcrStores}, {WPERF_SPE_BRANCHES, kPmsfcrBranches}};
constexpr u32 kTypeFlags =
    static_cast<u32>(WPERF_SPE_LOADS) | static_cast<u32>(WPERF_SPE_STORES) | static_cast<u32>(WPERF_SPE_BRANCHES);
constexpr u32 kKnownSpeFlags = kTypeFlags | static_cast<u32>(WPERF_SPE_KERNEL) |
                               static_cast<u32>(WPERF_SPE_TIMESTAMPS) | static_cast<u32>(WPERF_SPE_PHYSICAL) |
                               static_cast<u32>(WPERF_SPE_CONTEXT) | static_cast<u32>(WPERF_SPE_JITTER);

template <usize count>
u64 bits_of(u32 flags, const FlagBit (&table)[count]) {
  u64 bits = 0;
  for (const FlagBit& row : table) {
    bits |= (flags & row.flag) != 0 ? row.bit : 0;
  }
  return bits;
}

// PMSIDR_EL1.Interval. A future value is treated as today's greatest, as in Linux.
u32 min_interval_of(u64 pmsidr) {
  constexpr u16 kOperations[] = {256, 4096, 512, 768, 1024, 1536, 2048, 3072, 4096};
  const u64 field = bit_field(pmsidr, 8, 4);
  return field < sizeof kOperations / sizeof kOperations[0] ? kOperations[field] : 4096;
}

u32 buffer_bytes_of(const WperfSpeRequest& request) {
  return request.buffer_bytes != 0 ? request.buffer_bytes : static_cast<u32>(WPERF_SPE_DEFAULT_BUFFER);
}

}  // namespace

SpeAbilities spe_abilities(const CoreIdentity& identity) {
  SpeAbilities abilities;
  abilities.version = spe_version(identity.id_aa64dfr0);
  const u64 alignment = bit_field(identity.pmbidr, 0, 4);
  abilities.usable =
      abilities.version != 0 && (identity.pmbidr & kPmbidrProgrammingRefused) == 0 && (u64{1} << alignment) <= kSpePage;
  if (!abilities.usable) {
    return abilities;
  }
  abilities.filters_events = (identity.pmsidr & kPmsidrFiltersEvents) != 0;
  abilities.filters_types = (identity.pmsidr & kPmsidrFiltersTypes) != 0;
  abilities.filters_latency = (identity.pmsidr & kPmsidrFiltersLatency) != 0;
  abilities.filters_absent_events =
      abilities.version >= kSpeWithAbsentEvents && (identity.pmsidr & kPmsidrFiltersAbsentEvents) != 0;
  abilities.min_interval = min_interval_of(identity.pmsidr);
  abilities.latency_bits = bit_field(identity.pmsidr, 16, 4) == 3 ? 16 : 12;
  abilities.alignment = u32{1} << alignment;
  return abilities;
}

WperfStatus check_spe_request(const WperfSpeRequest& request, u32 core_count) {
  if ((request.flags & ~kKnownSpeFlags) != 0 || request.interval == 0 || (request.events & request.not_events) != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  const u32 cores = count_cores(request.core_mask);
  if (cores == 0 || has_core_beyond(request.core_mask, core_count)) {
    return WPERF_BAD_ARGUMENT;
  }
  const u32 bytes = buffer_bytes_of(request);
  if (bytes < WPERF_SPE_MIN_BUFFER || bytes > WPERF_SPE_MAX_BUFFER || bytes % (2 * kSpePage) != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  return u64{bytes} * cores > kMostSpeBytes ? WPERF_NO_MEMORY : WPERF_OK;
}

WperfStatus check_spe_core(const WperfSpeRequest& request, const SpeAbilities& abilities) {
  const bool able = abilities.usable && (abilities.filters_events || request.events == 0) &&
                    (abilities.filters_absent_events || request.not_events == 0) &&
                    (abilities.filters_types || (request.flags & kTypeFlags) == 0) &&
                    (abilities.filters_latency || request.min_latency == 0) &&
                    (request.min_latency >> abilities.latency_bits) == 0 && request.interval >= abilities.min_interval;
  return able ? WPERF_OK : WPERF_NOT_SUPPORTED;
}

SpePlan plan_of(const WperfSpeRequest& request) {
  SpePlan plan = {};
  plan.pmscr = kPmscrEl0 | bits_of(request.flags, kControls);
  plan.pmsirr = (request.interval & kPmsirrInterval) | ((request.flags & WPERF_SPE_JITTER) != 0 ? kPmsirrRandom : 0);
  plan.pmsevfr = request.events;
  plan.pmsnevfr = request.not_events;
  plan.pmslatfr = request.min_latency;
  const u64 types = bits_of(request.flags, kTypes);
  plan.pmsfcr = types | (types != 0 ? kPmsfcrTypes : 0) | (request.events != 0 ? kPmsfcrEvents : 0) |
                (request.not_events != 0 ? kPmsfcrAbsentEvents : 0) | (request.min_latency != 0 ? kPmsfcrLatency : 0);
  plan.half_bytes = buffer_bytes_of(request) / 2;
  return plan;
}

}  // namespace wperf::driver
