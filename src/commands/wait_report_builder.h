// SPDX-License-Identifier: BSD-3-Clause
// Accounted switches and named stacks → the tables of `waits`. Called by run_waits.
#pragma once
#include "commands/wait_names.h"
#include "waits/wait_report.h"

namespace wperf::commands {

// `recorded`: the samples of the switches, each with its row.
waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    const recording::RecordedSamples& recorded, const WaitSelection& selection);

}  // namespace wperf::commands
