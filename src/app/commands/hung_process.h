// SPDX-License-Identifier: BSD-3-Clause
// The answer of `waits -p PID` about a process whose threads all waited during the whole recording, so that no switch
// was recorded.
#pragma once
#include <optional>
#include <vector>

#include "analysis/waits/wait_report.h"
#include "app/measure/recording_run.h"
#include "app/show/wait_views.h"
#include "machine/linux_kernel/thread_places.h"
#include "model/stacks/recording_about.h"

namespace wperf::commands {

struct HungProcess {
  waits::WaitReport report;
  stacks::RecordingAbout about;
};

// nullopt if a thread of the process was switched, if records were lost, or if the user asked for other results than
// the tables.
std::optional<HungProcess> hung_process(u32 process, const show::WaitOptions& waits,
                                        const measure::Recording& recording);

// Makes the tables for threads that were in these places for `duration` nanoseconds.
waits::WaitReport report_of_places(u32 process, const std::vector<linux_kernel::ThreadNow>& threads, u64 duration);

}  // namespace wperf::commands
