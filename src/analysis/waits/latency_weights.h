// SPDX-License-Identifier: BSD-3-Clause
// `report --latency`: weights samples by elapsed time. The weight of each sample is divided by the number of the
// program's threads that ran at that time, so code that ran while no other thread did comes first.
// `--parallelism`: uses only samples that were taken while this many threads ran.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "model/request/recording_view.h"

namespace wperf::waits {

// The number of threads that ran at each time.
class Parallelism {
 public:
  // Adds a period in which a thread ran.
  void add(u64 begin, u64 end);
  // Called after all periods were added.
  void finish();

  u32 at(u64 time) const;
  // Between two times: how long exactly one thread ran, how long two threads ran, and so on, in nanoseconds.
  std::vector<u64> times(u64 from = 0, u64 to = ~u64{0}) const;

 private:
  struct Step {
    u64 time = 0;
    int change = 0;
    u32 running = 0;  // number of threads from this time on
  };
  std::vector<Step> steps_;  // ordered by time once all are added
};

struct LatencyOptions {
  bool by_time = false;                           // --latency
  std::optional<request::ThreadNumbers> running;  // --parallelism
};

// The time range of a recording in which samples are chosen.
struct LatencyPart {
  u64 from = 0, to = ~u64{0};  // nanoseconds
  bool is_all_of_it = true;    // false if only some samples in that range are chosen
};

struct LatencyWeights {
  std::vector<u64> weights;  // by sample of the file; 0 if it does not count
  // how long exactly one thread ran, how long two threads ran, and so on; empty if only some samples of that time are
  // chosen
  std::vector<u64> parallel_ns;
  std::string whole;  // name of the sum of all weights
};

// Weighs the samples of the recorded program's threads, or of all threads if no program was recorded. Without --latency
// a sample has its recorded weight; --parallelism leaves out samples taken while more or fewer threads ran.
LatencyWeights latency_weights(const recording::RecordedSwitches& switches, const LatencyOptions& options,
                               const LatencyPart& part);

// All samples with their recorded weights.
LatencyWeights recorded_weights(const recording::RecordedSwitches& switches);
// Gives samples outside of these spans the weight 0.
void keep_spans(const recording::ChosenSpans& spans, const recording::RecordedSwitches& switches, LatencyWeights& made);

}  // namespace wperf::waits
