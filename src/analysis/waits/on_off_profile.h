// SPDX-License-Identifier: BSD-3-Clause
// Makes one stack profile of all time of the threads: where they waited, were ready and ran.
#pragma once
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Additional data for HTML pages.
struct OnOffSlices {
  u64 length_ns = 0;                    // length of time slices; 0: none
  waits::WaitMoments* waits = nullptr;  // receives tasks and nodes of the waits
};

// `recorded` must have all samples of the recording with their rows. Its samples are replaced by time in nanoseconds;
// the innermost frame is the kind of time: "[running]", "[ready]", "[waiting: lock]".
//
// Waiting and ready time belongs to the place where the thread left its core. The running time is known exactly, but
// only samples show where it was spent. So it is divided among the thread's samples; without samples, it has no
// callers. A thread's times add up to its wall time.
void make_on_off_profile(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                         const WaitSelection& selection, recording::RecordedSamples& recorded,
                         const OnOffSlices& sliced = {});

}  // namespace wperf::waits
