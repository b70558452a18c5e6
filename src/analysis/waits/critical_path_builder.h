// SPDX-License-Identifier: BSD-3-Clause
// The critical path of `waits`, with names.
#pragma once
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// For the first chosen thread, over the known part of the selected time. nullopt if no thread is chosen.
std::optional<waits::PathReport> build_critical_path(const waits::Accounting& accounting,
                                                     const recording::RecordedSwitches& switches, WaitNames& names,
                                                     const WaitSelection& selection);

}  // namespace wperf::waits
