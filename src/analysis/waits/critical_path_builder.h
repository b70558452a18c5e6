// SPDX-License-Identifier: BSD-3-Clause
// The critical path of `waits`, with names. Called by wait_report_builder.
#pragma once
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// Of the first thread that is chosen, over the selected time as far as something is known of it. Nothing: none is.
std::optional<waits::PathReport> build_critical_path(const waits::Accounting& accounting,
                                                     const recording::RecordedSwitches& switches, WaitNames& names,
                                                     const WaitSelection& selection);

}  // namespace wperf::waits
