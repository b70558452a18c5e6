// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording with all its times: stacks::Moments with the states of threads. For exports and pages,
// which show time.
#pragma once
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/sampled_recording.h"
#include "analysis/waits/thread_times.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// With callers, and with the detail of `wanted`. Threads that were never sampled are tasks of the profile, too. The
// samples of a trace's switches, which only show where threads wait, do not count.
diag::Result<recording::RecordedSamples> read_timed_samples(const recording::SampledRecording& source,
                                                            recording::ReadOptions wanted, const ReportOptions& options,
                                                            diag::Console& console);

// The states over time of each chosen thread (by thread of the accounting): fills recorded.moments. `recorded` has the
// row of each sample.
void add_thread_states(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                       const std::vector<bool>& chosen, recording::RecordedSamples& recorded, bool with_unknown);

}  // namespace wperf::show
