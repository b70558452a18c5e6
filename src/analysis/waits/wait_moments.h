// SPDX-License-Identifier: BSD-3-Clause
// Lists the waits one by one, with their names. The tables of `waits` have the sums of these waits.
#pragma once
#include "analysis/waits/wait_locks.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Does not set the tasks and nodes of the waits.
waits::WaitMoments make_wait_moments(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                     WaitNames& names, const WaitLocks& locks, const WaitSelection& selection);

}  // namespace wperf::waits
