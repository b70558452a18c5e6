// SPDX-License-Identifier: BSD-3-Clause
// Counter readings as captured: not scaled, and without names.
#pragma once
#include <string>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::readings {

struct CounterReading {
  bool refused = false;  // it was not counted, and is not shown
  u64 value = 0;
  u64 slots = 0;           // time slots it was on a counter
  u64 running_ns = 0;      // time it was on a counter
  u64 enabled_ns = 0;      // time it wanted to be on one; 0 means that of the unit
  u64 running_cycles = 0;  // core class: cycles in that time
  // For full slots only, not for one cut short by stopping:
  u64 full_slots = 0, full_value = 0;
  u64 squares_low = 0, squares_high = 0;  // sum of (count in slot)²
};

// The source of a core's cycles.
enum class CycleSource : u8 {
  none,     // no source: they are 0 because nothing could count them
  counted,  // like the events: filtered by exception level
  shared    // the system's own cycle counter, which counts all code, including the kernel
};

struct UnitCounts {
  EventClass event_class = EventClass::core;
  u32 unit = 0;  // core, cluster or channel number
  bool multiplexed = false;
  u64 rounds = 0;  // time slots in total
  u64 enabled_ns = 0;
  u64 cycles = 0;  // core class
  // For cycles whose counter is shared with other events in turns: the time it counted, and the time it should have
  // counted. Both are 0 if it counted all the time.
  u64 cycles_running_ns = 0, cycles_enabled_ns = 0;
  CycleSource cycle_source = CycleSource::counted;
  // Registers that were found wiped or changed by another program: how often, and the lost part of enabled_ns.
  u64 losses = 0, lost_ns = 0;
  std::vector<CounterReading> entries;  // in the order of the schedule
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
  // For a device that counts by switches of cores: unseen time at either end, time whose counts were lost, and lost
  // events of the recording itself.
  std::vector<ThreadCounts> threads = {};
  u64 unseen_ns = 0, lost_ns = 0, events_lost = 0;
};

}  // namespace wperf::readings
