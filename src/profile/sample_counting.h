// SPDX-License-Identifier: BSD-3-Clause
// The one walk over all samples: how many of which event at which place, process, thread, core, caller and time. Called
// by sample_profile_builder.cpp.
#pragma once
#include <unordered_map>
#include <vector>

#include "profile/sample_naming.h"
#include "profile/sample_places.h"
#include "profile/sample_profile_builder.h"

namespace wperf::profile {

struct EventCounts {
  u64 samples = 0;
  std::vector<u64> of_place;                // by place number
  std::unordered_map<u64, u64> of_thread;   // process << 32 | thread
  std::vector<u64> of_core;                 // by core number
  std::unordered_map<u64, u64> of_caller;   // symbol << 32 | caller
  std::vector<std::vector<u32>> over_time;  // by symbol, then slice; a symbol without samples has none
};

TimeSlices slices_of(const SampleRun& run);

// One per event of the run. `calls` is empty without callers.
std::vector<EventCounts> count_samples(const SampleColumns& samples, const SampleRun& run, const SamplePlaces& places,
                                       const std::vector<NamedPlace>& pcs, const std::vector<NamedPlace>& calls);

}  // namespace wperf::profile
