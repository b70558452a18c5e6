// SPDX-License-Identifier: BSD-3-Clause
// The part of an accounting that lies within a range of time. Pure.
#pragma once
#include "analysis/recording/recorded_switches.h"
#include "analysis/waits/thread_times.h"

namespace wperf::waits {

struct TimePart {
  u64 from = 0, to = 0;  // absolute times
};

// A wait that extends beyond the range counts only within it; its end and its latency stay known. Waits and threads
// keep their indices: waits outside of the range are not `is_known`. Cores and contradictions remain the values for the
// whole recording.
Accounting part_of(const Accounting& all, const recording::RecordedSwitches& switches, const TimePart& part);

}  // namespace wperf::waits
