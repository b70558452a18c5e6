// SPDX-License-Identifier: BSD-3-Clause
// Measurement × words × machine → the sampled events on counters, with intervals and cores (contract 2.5, 3.3). Pure
// functions. Events do not share counters: every event keeps its counter for the whole run.
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
  std::string name;  // lower case, as shown; `cycle` for the cycle counter
  u16 code = 0;
  u32 interval = request::kDefaultInterval;  // the first interval of an adaptive event
  bool adaptive = false;                     // the interval follows rate_hz
  std::optional<KernelEvent> kernel_event;   // the device is asked for this instead of `code`
  EventModifiers modifiers = {};             // for events that the kernel samples
  bool tells_waits = false;                  // also in the kernel, and the only event with callers, if any has them
};

// The last branches that the core took before each sample. wished: if the machine has them.
enum class BranchStacks : u8 { none, wished, needed };

struct SamplePlan {
  std::vector<SampleEvent> events;  // in the order of the report: cycles first, then by code; 1 to 32
  std::vector<u32> cores;           // ascending, no duplicates
  u32 program_core = 0;             // the core on which `record` starts the program; one of the cores, or kAnyCore
  std::optional<u32> process;       // the one process that is sampled; set when it exists
  std::string note;                 // why this event was chosen, if the user named none and it is not cycles
  bool kernel = false;
  u32 jitter_shift = 0;     // an interval varies by up to interval >> jitter_shift in either direction; 0 for no jitter
  u32 most_per_second = 0;  // the driver's limit of samples on each core; 0 for its own limit
  u64 seed = 1;             // the seed of the jitter: the same seed gives the same intervals
  std::optional<u32>
      rate_hz;  // the wanted samples per second for each adaptive event on each core; set if there is one
  request::CallStacks call_stacks;
  BranchStacks branch_stacks = BranchStacks::none;
  bool switch_records = false;  // also records when threads came to cores and left them, without stacks
  bool core_numbers = false;    // each sample has its core, though one program is sampled
  request::SampleDisplay display;

  // Can samples of some event be of the kernel?
  bool looks_into_kernel() const {
    bool looks = kernel;
    for (const SampleEvent& event : events) looks = looks || event.tells_waits || event.modifiers.kernel;
    return looks;
  }
};

// The checks have the order that scripts rely on: core numbers, everything about -e, the one core of `sample`, the
// program, the one core of `record`.
diag::Result<SamplePlan> make_sample_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                          const Capabilities& machine, const EventCatalog& catalog);

// Adds to the samples: each switch of a thread, with its callers by frame pointers.
diag::Result<void> add_switches(SamplePlan& plan, request::Sampling sampling, const Capabilities& machine,
                                const EventCatalog& catalog);

// The stacks requested by -g and --call-graph, or needed by a view that shows callers.
request::CallStacks wanted_call_stacks(const request::Sampling& sampling, const request::RecordingView& view);

// The next interval of an adaptive event whose `interval` gave `samples` in `elapsed_ns` on the busiest sampled core;
// an idle core does not show the rate. Changes by a factor of 8 at most.
u32 adapted_interval(u32 interval, u64 samples, u64 elapsed_ns, u32 rate_hz);

}  // namespace wperf::plan
