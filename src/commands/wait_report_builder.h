// SPDX-License-Identifier: BSD-3-Clause
// Accounted switches and named stacks → the tables of `waits`. Called by run_waits.
#pragma once
#include <set>

#include "recording/recorded_samples.h"
#include "recording/recorded_switches.h"
#include "waits/wait_report.h"

namespace wperf::commands {

struct WaitSelection {
  std::set<u32> processes, threads;  // empty: all
  std::set<std::string> names;       // of threads; empty: all
  bool timeline = false;             // of the only thread that is selected
  u64 from = 0, to = ~u64{0};        // of the timeline
};

// `recorded`: the samples of the switches, each with its row.
waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    const recording::RecordedSamples& recorded, const WaitSelection& selection);

}  // namespace wperf::commands
