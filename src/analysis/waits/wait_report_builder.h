// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of `waits` and the single waits of HTML pages from accounted switches and named stacks.
#pragma once
#include "analysis/waits/wait_locks.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Makes the tables of `waits`.
waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    WaitNames& names, const WaitLocks& locks, const WaitSelection& selection);

// Makes each wait with its names; the tables of `waits` sum these up.

// Tasks and nodes of the waits are not set yet.
waits::WaitMoments make_wait_moments(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                     WaitNames& names, const WaitLocks& locks, const WaitSelection& selection);

}  // namespace wperf::waits
