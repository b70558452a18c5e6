// SPDX-License-Identifier: BSD-3-Clause
// Plans how the statistical profiling extension is programmed (contract 3.4). Pure.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"
#include "model/request/recording_view.h"
#include "model/request/sampling_options.h"

namespace wperf::plan {

inline constexpr u32 kSpeBuffer = 4 << 20, kSmallSpeBuffer = 1 << 20;  // bytes for each core: with few cores, with many
inline constexpr u32 kFewCores = 32;
inline constexpr u32 kSpeInterval = 1024;  // operations between two samples by default

struct SpePlan {
  std::vector<u32> cores;      // ascending, no duplicates
  u32 program_core = 0;        // where `record` starts the program; one of the cores
  std::optional<u32> process;  // the one process that is profiled; set once it exists
  u32 interval = kSpeInterval;
  bool jitter = true;
  bool loads = false, stores = false, branches = false;  // if none of these is set, all operations
  bool timestamps = false, physical = false, context = true;
  bool kernel = false;
  request::PythonFrames python = request::PythonFrames::none;  // includes the Python functions that called the code
  u64 events = 0, not_events = 0;                              // 0: no filter
  u32 min_latency = 0;                                         // 0: no filter
  u32 buffer_bytes = kSpeBuffer;                               // for each core
  request::SampleDisplay display;
};

// The checks are in the order that scripts rely on: core numbers, everything about -e, the one core of `sample`, the
// program, the one core of `record`.
diag::Result<SpePlan> make_spe_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                    const Capabilities& machine);

inline constexpr u64 kGreatestSpeInterval = 0xffffff00;  // PMSIRR_EL1.INTERVAL: 24 bits, in units of 256 operations

// A setting of `-e arm_spe_0/NAME=VALUE,…/` (contract 3.4, and wperf's own).
struct SpeSetting {
  std::string_view name, alias;  // alias may be empty
  u64 least, greatest;
  void (*apply)(SpePlan& plan, u64 value);
};
const SpeSetting* find_spe_setting(std::string_view name);  // by name or alias; null if there is none

bool has_spe(const Capabilities& machine);

// Checks the hardware first, then the names, then the values.
diag::Result<void> check_spe(const request::SpeList& list, const Capabilities& machine);

// The abilities of the hardware, from PMSIDR_EL1.
struct SpeAbilities {
  bool filters_events, filters_types, filters_latency, filters_absent_events;
  u32 least_interval;  // operations
  u32 latency_bits;
};
SpeAbilities spe_abilities(u64 pmsidr);

}  // namespace wperf::plan
