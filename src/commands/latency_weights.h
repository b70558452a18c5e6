// SPDX-License-Identifier: BSD-3-Clause
// `report --latency`: a sample counts for its share of the time that went by while it was taken. While one thread of
// the program ran, that is all of it; while four ran at once, a quarter. So what nothing else ran beside comes first.
// Called by run_report.
#pragma once
#include <string>
#include <vector>

#include "recording/recorded_switches.h"

namespace wperf::commands {

struct LatencyWeights {
  std::vector<u64> weights;      // by sample of the file; 0: it does not count
  std::vector<u64> parallel_ns;  // how long one thread ran, two at once, …
  std::string whole;             // what all weights together are
};

// Of the threads of the program that the recording is about, else of all.
LatencyWeights latency_weights(const recording::RecordedSwitches& switches);

}  // namespace wperf::commands
