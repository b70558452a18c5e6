// SPDX-License-Identifier: BSD-3-Clause
// Plans sampling: the events with their counters, intervals and cores (contract 2.5, 3.3). Pure functions. Events do
// not take turns: each keeps its counter for the whole run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"
#include "model/request/recording_view.h"

namespace wperf::plan {

inline constexpr u16 kCycleEvent = 0x11;  // cpu_cycles; shown as "cycle" (contract 3.3)
inline constexpr u32 kDefaultCycleInterval = 0x8000000;

struct SampleEvent {
  std::string name;  // in lower case, as displayed; `cycle` for the cycle counter
  u16 code = 0;
  u32 interval = request::kDefaultInterval;  // for an adaptive event, the first interval
  bool adaptive = false;                     // the interval is adapted to rate_hz
  std::optional<KernelEvent> kernel_event;   // used by the device instead of `code`
  EventModifiers modifiers = {};             // for events that the kernel samples
  bool shows_waits = false;                  // shows waits: also sampled in the kernel; if callers are recorded, only
                                             // this event has them
};

// The last branches that the core took before each sample. optional: only if the machine can record them.
enum class BranchStacks : u8 { none, optional, needed };

struct SamplePlan {
  std::vector<SampleEvent> events;  // in the order of the report: cycles first, then by number; 1 to 32 events
  std::vector<u32> cores;           // ascending, no duplicates
  u32 program_core = 0;             // where `record` starts the program; one of the cores, or kAnyCore
  std::optional<u32> process;       // the one process that is sampled; set once it exists
  std::string note;                 // why this event was chosen, if the user named none and it is not cycles
  bool kernel = false;
  u32 jitter_shift = 0;        // an interval varies by up to interval >> jitter_shift in either direction; 0: no jitter
  u32 most_per_second = 0;     // the driver's limit of samples for each core and second; 0: its own limit
  u64 seed = 1;                // for the jitter: the same seed gives the same intervals
  std::optional<u32> rate_hz;  // samples per second for each adaptive event on each core; nullopt if no event is
                               // adaptive
  request::CallStacks call_stacks;
  BranchStacks branch_stacks = BranchStacks::none;
  bool switch_records = false;  // also records, without stacks, when threads start and stop running on cores
  bool core_numbers = false;    // each sample has its core, even if only one program is sampled
  request::SampleDisplay display;

  // May an event have samples in the kernel?
  bool looks_into_kernel() const {
    bool looks = kernel;
    for (const SampleEvent& event : events) looks = looks || event.shows_waits || event.modifiers.kernel;
    return looks;
  }
};

// The checks are in the order that scripts rely on: core numbers, everything about -e, the one core of `sample`, the
// program, the one core of `record`.
diag::Result<SamplePlan> make_sample_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                          const Capabilities& machine, const EventCatalog& catalog);

// Adds each context switch, with callers by frame pointers, to the samples.
diag::Result<void> add_switches(SamplePlan& plan, request::Sampling sampling, const Capabilities& machine,
                                const EventCatalog& catalog);

// The stacks that -g and --call-graph request, or that a view with callers needs.
request::CallStacks wanted_call_stacks(const request::Sampling& sampling, const request::RecordingView& view);

// The next interval of an adaptive event. Its current `interval` gave `samples` in `elapsed_ns` on the busiest sampled
// core, because an idle core does not show the rate. Changes by a factor of 8 at most.
u32 adapted_interval(u32 interval, u64 samples, u64 elapsed_ns, u32 rate_hz);

}  // namespace wperf::plan
