// SPDX-License-Identifier: BSD-3-Clause
// The tool's provider of Event Tracing for Windows, `WindowsPerf App` {6AFCCF81-3A0C-411E-A4AA-C4CF02EB840D}. It sends
// one event for each counter that `stat` has read, so that a recording of the whole system can show counts next to its
// other data. Other systems have no such provider.
#pragma once
#include <string_view>

#include "base/ints.h"

namespace wperf::os {

// Event 1, version 0, level 4 (information), keyword 1. The fields in this order: core UInt32, event UnicodeString,
// index UInt32, note UnicodeString, value UInt64. A manifest must list the same fields.
struct CounterEvent {
  u32 core = 0;
  std::string_view event;  // name
  u32 index = 0;           // index of the event, kFixedCycleIndex for the fixed counter
  std::string_view note;
  u64 value = 0;
};
inline constexpr u32 kFixedCycleIndex = 0xffff'ffff;

// Registers the provider on the first call.
bool counter_events_wanted();
void write_counter_event(const CounterEvent& event);
// The word in --version: "+etw-app" if the provider exists.
std::string_view counter_events_feature();

}  // namespace wperf::os
