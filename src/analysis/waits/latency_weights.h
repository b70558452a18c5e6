// SPDX-License-Identifier: BSD-3-Clause
// `report --latency`: a sample counts for its share of the time that went by while it was taken. While one thread of
// the program ran, that is all of it; while four ran at once, a quarter. So what nothing else ran beside comes first.
// `--parallelism`: only samples that were taken while so many threads ran. Called by run_report.
#pragma once
#include <string>
#include <vector>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "model/request/request.h"

namespace wperf::waits {

struct LatencyWeights {
  std::vector<u64> weights;      // by sample of the file; 0: it does not count
  std::vector<u64> parallel_ns;  // how long one thread ran, two at once, …
  std::string whole;             // what all weights together are
};

// Of the threads of the program that the recording is about, else of all. Without --latency a sample counts for what it
// was recorded with; --parallelism leaves out what was taken while more or fewer threads ran.
LatencyWeights latency_weights(const recording::RecordedSwitches& switches, const request::RecordingView& view);

// As they were recorded.
LatencyWeights recorded_weights(const recording::RecordedSwitches& switches);
// Leaves out what was not in one of these.
void keep_spans(const recording::ChosenSpans& spans, const recording::RecordedSwitches& switches, LatencyWeights& made);

}  // namespace wperf::waits
