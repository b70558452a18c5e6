// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's events in a perf.data file: tracepoints with their fields, or the software event for switches.
#pragma once
#include <vector>

#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/sample.h"
#include "formats/perf_data/tracepoint_formats.h"
#include "model/stacks/switches.h"

namespace wperf::recording {

// left: a sample of the software event, with the stack of the thread that leaves its core; a SWITCH record follows.
enum class SchedulerRole : u8 { other, switched, waking, wakeup, created, left };

struct SchedulerEvent {
  SchedulerRole role = SchedulerRole::other;
  bool is_tracepoint = false;
  bool has_stacks = false;
  perf_data::TracepointField flags, from, from_name, from_state, to, to_name;

  bool is_of_scheduler() const { return role != SchedulerRole::other; }
  // The switch or wake-up of a sample, without time and core.
  stacks::Switch switch_in(const perf_data::Sample& sample) const;
};

struct SchedulerEvents {
  std::vector<SchedulerEvent> all;  // by event of the file
  bool is_nameless = false;         // the file does not describe the fields of its tracepoints

  // Returns an event of the role `other` if the sample's event is unknown.
  const SchedulerEvent& of(const perf_data::Sample& sample) const;
  const SchedulerEvent* find(SchedulerRole role) const;
};

SchedulerEvents scheduler_events(const perf_data::PerfFile& file);

}  // namespace wperf::recording
