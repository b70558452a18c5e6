// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording with all that it knows of time: stacks::Moments with the states of threads. Called by
// run_report for what shows time: exports and pages.
#pragma once
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "analysis/waits/thread_times.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "model/stacks/trace_facts.h"

namespace wperf::commands {

// What belongs to the samples and is not in their records.
struct Beside {
  const perf_data::AuxTraces* operations = nullptr;  // of SPE, which count with the samples
  const stacks::TraceFacts* trace = nullptr;
  const recording::RecordedSwitches* switches = nullptr;  // of a trace; else those of the file are looked for
  const recording::ChosenSpans* spans = nullptr;          // only what was in these
};

// With callers, and with `wanted` beside. Threads that were never sampled are tasks of the profile, too. The samples of
// a trace's switches, which only tell where threads wait, do not count.
diag::Result<recording::RecordedSamples> read_timed_samples(const perf_data::PerfFile& file, const Beside& beside,
                                                            const request::Request& request,
                                                            recording::WantedDetail wanted, diag::Console& console);

// What each chosen thread (by thread of the accounting) did when: fills recorded.moments. `recorded` has the row of
// each sample.
void add_thread_states(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                       const std::vector<bool>& chosen, recording::RecordedSamples& recorded, bool with_unknown);

}  // namespace wperf::commands
