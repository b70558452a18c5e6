// SPDX-License-Identifier: BSD-3-Clause
// Counter readings as captured: nothing is scaled or named.
#pragma once
#include <string>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::readings {

struct CounterReading {
  bool refused = false;  // it was not counted at all, and shows nowhere
  u64 value = 0;
  u64 slots = 0;           // time slots it was on a counter
  u64 running_ns = 0;      // time it was on a counter
  u64 enabled_ns = 0;      // time it wanted to be on one; 0: that of the unit
  u64 running_cycles = 0;  // core class: cycles in that time
  // Of full slots only, not of one cut short by stopping:
  u64 full_slots = 0, full_value = 0;
  u64 squares_low = 0, squares_high = 0;  // sum of (count in slot)²
};

// Where the cycles of a core come from.
enum class CycleSource : u8 {
  none,     // nowhere: they are 0 because nothing could count them
  counted,  // as the events are: filtered by exception level
  shared    // the system's own cycle counter: all it counts, so the kernel too
};

struct UnitCounts {
  EventClass event_class = EventClass::core;
  u32 unit = 0;  // core, cluster or channel number
  bool multiplexed = false;
  u64 rounds = 0;  // time slots in total
  u64 enabled_ns = 0;
  u64 cycles = 0;  // core class
  // Of the cycles, where their counter takes turns with others: time it counted, of the time it was to count. Both 0:
  // it counted all the time.
  u64 cycles_running_ns = 0, cycles_enabled_ns = 0;
  CycleSource cycle_source = CycleSource::counted;
  // The registers were found wiped or changed by somebody: how often, and for how much of enabled_ns nothing is known.
  u64 losses = 0, lost_ns = 0;
  std::vector<CounterReading> entries;  // in the order of the schedule
};

// A thread's part, where the device tells threads apart.
struct ThreadCounts {
  u32 process = 0, thread = 0;
  std::string name = {};  // of its process; empty: not known
  u64 running_ns = 0;
  u64 switches = 0;              // times it came to a core
  std::vector<u64> values = {};  // in the order of the core's schedule
};

struct CountCapture {
  u64 start_ns = 0, end_ns = 0;   // device time
  std::vector<UnitCounts> units;  // by class, then unit
  // Of a device that counts by switches of cores: time of what is counted that was not seen at either end, time whose
  // counts were lost on the way, and what of the record itself was.
  std::vector<ThreadCounts> threads = {};
  u64 unseen_ns = 0, lost_ns = 0, events_lost = 0;
};

}  // namespace wperf::readings
