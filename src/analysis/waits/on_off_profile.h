// SPDX-License-Identifier: BSD-3-Clause
// All of the threads' time as one profile of stacks: where they waited, were ready and ran.
#pragma once
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Additional data for pages.
struct OnOffSlices {
  u64 length_ns = 0;                    // of slices of time; 0: no slices
  waits::WaitMoments* waits = nullptr;  // will get their tasks and nodes
};

// `recorded`: every sample of the recording, each with its row. Its samples are replaced by their time, in nanoseconds;
// the innermost frame is the kind of time: "[running]", "[ready]", "[waiting: lock]".
//
// Waiting and ready time is at the place where the thread left its core. Its running time is known to the nanosecond,
// but the places only from its samples. So the running time is divided among its samples; without samples it has no
// callers. A thread's time then adds up to its wall time.
void make_on_off_profile(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                         const WaitSelection& selection, recording::RecordedSamples& recorded,
                         const OnOffSlices& sliced = {});

}  // namespace wperf::waits
