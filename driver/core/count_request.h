// SPDX-License-Identifier: BSD-3-Clause
// Checks a client's count request against the machine and turns it into the plan of the session. Pure.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/event_class.h"
#include "base/ints.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/schedule.h"

namespace wperf::driver {

inline constexpr u32 kPeriodMinMs = 10;
inline constexpr u32 kPeriodMaxMs = 100;
inline constexpr u32 kPeriodDefaultMs = 100;
inline constexpr u32 kUsableCoreEvents = WPERF_MAX_CORE_EVENTS - 1;  // one place is reserved for the cycle counter

struct EventList {
  const WperfEventEntry* entries;
  u32 room;  // places in the request
};
EventList entries_of(const WperfCountRequest& request, EventClass event_class);

// A period outside the allowed range is replaced by the default, as clients expect.
u32 period_of(const WperfCountRequest& request);

// Only valid for a request that passed the check below.
Ring ring_of(const WperfCountRequest& request, EventClass event_class, const HardwareFacts& machine);

// The DMC channels counted: first..first+count-1.
struct ChannelRange {
  u32 first;
  u32 count;
};
ChannelRange channels_of(const WperfCountRequest& request, u32 dmc_channels);

[[nodiscard]] WperfStatus check_count_request(const WperfCountRequest& request, const HardwareFacts& machine,
                                              u32 dmc_channels, bool administrator);

}  // namespace wperf::driver
