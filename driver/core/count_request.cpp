// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/count_request.h"

#include "driver/core/core_mask.h"
#include "driver/core/dmc620_registers.h"

namespace wperf::driver {
namespace {

bool is_dmc(EventClass event_class) {
  return event_class == EventClass::dmc_clk || event_class == EventClass::dmc_clkdiv2;
}

u32 counters_of(EventClass event_class, const HardwareFacts& machine) {
  switch (event_class) {
    case EventClass::core:
      return machine.counters_free();
    case EventClass::dsu:
      return machine.dsu_counters;
    case EventClass::dmc_clk:
      return dmc620::kClkCounters;
    case EventClass::dmc_clkdiv2:
      return dmc620::kClkdiv2Counters;
  }
  return 0;
}

u32 length_of(const WperfCountRequest& request, EventClass event_class) {
  return request.entry_count[index_of(event_class)];
}

bool wants_dmc(const WperfCountRequest& request) {
  return length_of(request, EventClass::dmc_clk) != 0 || length_of(request, EventClass::dmc_clkdiv2) != 0;
}

// Without a core only DMC events can be counted; a request without events still counts the cores' cycles.
bool needs_cores(const WperfCountRequest& request) {
  return length_of(request, EventClass::core) != 0 || length_of(request, EventClass::dsu) != 0 || !wants_dmc(request);
}

WperfStatus check_cores(const WperfCountRequest& request, const HardwareFacts& machine) {
  const bool any = count_cores(request.core_mask) != 0;
  if (has_core_beyond(request.core_mask, machine.core_count) || (!any && needs_cores(request))) {
    return WPERF_BAD_ARGUMENT;
  }
  return any && !machine.every_core_counts ? WPERF_NOT_SUPPORTED : WPERF_OK;
}

WperfStatus check_class(const WperfCountRequest& request, EventClass event_class, const HardwareFacts& machine,
                        u32 dmc_channels) {
  const EventList list = entries_of(request, event_class);
  const u32 length = length_of(request, event_class);
  const u32 usable = event_class == EventClass::core ? kUsableCoreEvents : list.room;
  if (length > usable) {
    return WPERF_BAD_ARGUMENT;
  }
  if (length == 0) {
    return WPERF_OK;
  }
  if ((event_class == EventClass::dsu && machine.cluster_count == 0) || (is_dmc(event_class) && dmc_channels == 0)) {
    return WPERF_NOT_SUPPORTED;
  }
  const Ring ring = ring_of(request, event_class, machine);
  if (ring.counters == 0) {
    return WPERF_NO_COUNTERS;
  }
  for (u32 i = 0; is_dmc(event_class) && i < length; ++i) {
    if (list.entries[i].event > dmc620::kMaxEvent) {
      return WPERF_BAD_ARGUMENT;
    }
  }
  return groups_stay_together(list.entries, ring) ? WPERF_OK : WPERF_BAD_ARGUMENT;
}

}  // namespace

EventList entries_of(const WperfCountRequest& request, EventClass event_class) {
  switch (event_class) {
    case EventClass::core:
      return {request.core, WPERF_MAX_CORE_EVENTS};
    case EventClass::dsu:
      return {request.dsu, WPERF_MAX_DSU_EVENTS};
    case EventClass::dmc_clk:
      return {request.dmc_clk, WPERF_MAX_DMC_CLK_EVENTS};
    case EventClass::dmc_clkdiv2:
      return {request.dmc_clkdiv2, WPERF_MAX_DMC_CLKDIV2_EVENTS};
  }
  return {nullptr, 0};
}

u32 period_of(const WperfCountRequest& request) {
  const bool allowed = request.period_ms >= kPeriodMinMs && request.period_ms <= kPeriodMaxMs;
  return allowed ? request.period_ms : kPeriodDefaultMs;
}

Ring ring_of(const WperfCountRequest& request, EventClass event_class, const HardwareFacts& machine) {
  return {length_of(request, event_class), counters_of(event_class, machine)};
}

ChannelRange channels_of(const WperfCountRequest& request, u32 dmc_channels) {
  if (!wants_dmc(request)) {
    return {0, 0};
  }
  if (request.dmc_channel == WPERF_ALL_CHANNELS) {
    return {0, dmc_channels};
  }
  return {request.dmc_channel, 1};
}

WperfStatus check_count_request(const WperfCountRequest& request, const HardwareFacts& machine, u32 dmc_channels,
                                bool administrator) {
  if ((request.flags & ~static_cast<u32>(WPERF_COUNT_KERNEL)) != 0 || request.reserved != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  if ((request.flags & WPERF_COUNT_KERNEL) != 0 && !administrator) {
    return WPERF_ACCESS_DENIED;
  }
  if (const WperfStatus status = check_cores(request, machine); status != WPERF_OK) {
    return status;
  }
  for (const EventClass event_class : kEventClasses) {
    if (const WperfStatus status = check_class(request, event_class, machine, dmc_channels); status != WPERF_OK) {
      return status;
    }
  }
  const bool known_channel = request.dmc_channel == WPERF_ALL_CHANNELS || request.dmc_channel < dmc_channels;
  return wants_dmc(request) && !known_channel ? WPERF_BAD_ARGUMENT : WPERF_OK;
}

}  // namespace wperf::driver
