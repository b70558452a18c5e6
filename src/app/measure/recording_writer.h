// SPDX-License-Identifier: BSD-3-Clause
// The recording of a run of a driver of ours as a perf.data file: how it begins, what ran, how it ends. What is between
// is written by sample_recorder and spe_recorder.
#pragma once
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/measure/sampled_program.h"
#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/run_facts.h"
#include "ground/os/recording_file.h"
#include "machine/plan/plan.h"
#include "model/readings/samples.h"

namespace wperf::measure {

using ProcessAndThread = std::pair<u32, u32>;

// What is known at the end of a run.
struct RunEnding {
  const std::vector<readings::Process>& processes;
  std::set<ProcessAndThread> threads;
  perf_data::RunFacts run;
  u64 first_ns = 0, last_ns = 0;  // of what was recorded; 0: nothing was
};
// Whom the run was about and how long it took: what is the same for all kinds of runs.
perf_data::RunFacts facts_of_run(const SampledProgram& program, const std::vector<readings::Process>& processes,
                                 u64 start_ns, u64 end_ns);

class RecordingWriter {
 public:
  // `file`: empty, nothing in it yet.
  RecordingWriter(std::vector<perf_data::WrittenEvent> events, u64 sample_type, os::RecordingFile& file);
  void append(std::string_view records) { file_.append(records); }
  void finish(const RunEnding& ending, const plan::Capabilities& machine, std::span<const std::string> arguments);

 private:
  os::RecordingFile& file_;
  std::vector<perf_data::WrittenEvent> events_;
  u64 sample_type_, records_begin_;
};

// perf takes 0 for "not told", and two intervals of one event are two events: ids are numbers of their own.
constexpr u64 id_of_event(usize event) {
  return event + 1;
}

}  // namespace wperf::measure
