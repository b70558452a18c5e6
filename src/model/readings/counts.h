// SPDX-License-Identifier: BSD-3-Clause
// Counter readings as captured: not scaled, and without names.
#pragma once
#include <string>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::readings {

struct CounterReading {
  bool refused = false;  // true: it was not counted, and is not shown
  u64 value = 0;
  u64 slots = 0;           // number of time slots in which it was on a counter
  u64 running_ns = 0;      // the time during which it was on a counter
  u64 enabled_ns = 0;      // the time during which it was enabled, on a counter or not; 0: as long as the unit
  u64 running_cycles = 0;  // core class: cycles during running_ns
  // Only full slots; a slot that was cut short by the stop is left out:
  u64 full_slots = 0, full_value = 0;
  u64 squares_low = 0, squares_high = 0;  // sum of (count in a slot)²
};

// The counter that provides the cycles of a core.
enum class CycleSource : u8 {
  none,     // the cycles are 0 because no counter could count them
  counted,  // counted like the events, only in the requested exception levels
  shared    // the system's own cycle counter, which also counts the kernel
};

struct UnitCounts {
  EventClass event_class = EventClass::core;
  u32 unit = 0;  // core, cluster or channel number
  bool multiplexed = false;
  u64 rounds = 0;  // number of time slots in total
  u64 enabled_ns = 0;
  u64 cycles = 0;  // core class
  // Used if the cycle counter takes turns with other events: the time during which it counted, and the time during
  // which it was enabled. Both are 0 if it counted all the time.
  u64 cycles_running_ns = 0, cycles_enabled_ns = 0;
  CycleSource cycle_source = CycleSource::counted;
  // Registers that were found wiped or changed by another program: how often that happened, and how much of enabled_ns
  // was lost.
  u64 losses = 0, lost_ns = 0;
  std::vector<CounterReading> entries;  // in the order in which they were scheduled
};

// One thread's counts, if the device counts each thread.
struct ThreadCounts {
  u32 process = 0, thread = 0;
  std::string name = {};  // the name of its process; empty if not known
  u64 running_ns = 0;
  u64 switches = 0;              // number of switches to a core
  std::vector<u64> values = {};  // in the order of the core's schedule
};

struct CountCapture {
  u64 start_ns = 0, end_ns = 0;   // device time
  std::vector<UnitCounts> units;  // by class, then unit
  std::vector<ThreadCounts> threads = {};
  // For a device that reads the counters at each context switch: the time not covered at either end, the time for which
  // counts were lost, and the number of events that the recording lost.
  u64 unseen_ns = 0, lost_ns = 0, events_lost = 0;
};

}  // namespace wperf::readings
