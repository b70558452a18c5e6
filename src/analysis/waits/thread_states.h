// SPDX-License-Identifier: BSD-3-Clause
// The states of each thread over time, for exports and pages.
#pragma once
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_switches.h"
#include "analysis/waits/thread_times.h"

namespace wperf::waits {

// Adds the states over time of each chosen thread to recorded.moments. `chosen`: by thread of the accounting.
// `recorded` must have the row of each sample.
void add_thread_states(const Accounting& accounting, const recording::RecordedSwitches& switches,
                       const std::vector<bool>& chosen, recording::RecordedSamples& recorded, bool with_unknown);

}  // namespace wperf::waits
