// SPDX-License-Identifier: BSD-3-Clause
// All of the threads' time as one stack profile: where they waited, were ready and ran.
#pragma once
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Additional data for HTML pages.
struct OnOffSlices {
  u64 length_ns = 0;                    // length of time slices; 0: none
  waits::WaitMoments* waits = nullptr;  // gets tasks and nodes of the waits
};

// `recorded` must have all samples of the recording with their rows. Its samples are replaced by time in nanoseconds;
// the innermost frame is the kind of time: "[running]", "[ready]", "[waiting: lock]".
//
// Waiting and ready time belongs to the place where the thread left its core. The running time is known exactly, but
// where it was spent is known only from samples. So it is divided among the thread's samples; if there are none, it has
// no callers. A thread's times add up to its wall time.
void make_on_off_profile(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                         const WaitSelection& selection, recording::RecordedSamples& recorded,
                         const OnOffSlices& sliced = {});

}  // namespace wperf::waits
