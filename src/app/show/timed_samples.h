// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording with all its times: stacks::Moments with the states of threads. For exports and pages,
// which show time.
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

// Data that belongs to the samples and is not in their records.
struct Beside {
  const perf_data::AuxTraces* operations = nullptr;  // SPE's operations, which count with the samples
  const stacks::TraceFacts* trace = nullptr;
  const recording::RecordedSwitches* switches = nullptr;  // from a trace; null: read from the file
  const recording::ChosenSpans* spans = nullptr;          // only samples in these
};

// With callers, and with the detail of `wanted`. Threads that were never sampled are tasks of the profile, too. The
// samples of a trace's switches, which only show where threads wait, do not count.
diag::Result<recording::RecordedSamples> read_timed_samples(const perf_data::PerfFile& file, const Beside& beside,
                                                            const request::Request& request,
                                                            recording::ReadOptions wanted, diag::Console& console);

// The states over time of each chosen thread (by thread of the accounting): fills recorded.moments. `recorded` has the
// row of each sample.
void add_thread_states(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                       const std::vector<bool>& chosen, recording::RecordedSamples& recorded, bool with_unknown);

}  // namespace wperf::commands
