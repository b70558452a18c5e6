// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of `waits`.
#pragma once
#include "analysis/waits/critical_path.h"
#include "analysis/waits/wait_locks.h"
#include "analysis/waits/wait_report.h"
#include "analysis/waits/wait_sums.h"

namespace wperf::waits {

// The switches of a recording, and results of earlier reports about it. Missing results are computed.
struct WaitRecording {
  const waits::Accounting& accounting;
  const recording::RecordedSwitches& switches;
  const WaitSums* sums = nullptr;  // sums for all threads, with waits of any length
  const ThreadHistories* histories = nullptr;
};

waits::WaitReport build_wait_report(const WaitRecording& recording, WaitNames& names, const WaitLocks& locks,
                                    const WaitSelection& selection);

}  // namespace wperf::waits
