// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of `waits`.
#pragma once
#include "analysis/waits/wait_locks.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    WaitNames& names, const WaitLocks& locks, const WaitSelection& selection);

}  // namespace wperf::waits
