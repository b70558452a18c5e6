// SPDX-License-Identifier: BSD-3-Clause
// Writes the recording of a run of wperf's driver as a perf.data file: its beginning, the programs, and its end.
// SampleRecorder and SpeRecorder write the part in between.
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

// Facts that are known at the end of a run.
struct RunEnding {
  const std::vector<readings::Process>& processes;
  std::set<ProcessAndThread> threads;
  perf_data::RunFacts run;
  std::string jit_code = {};       // the bytes of kJitCodeFeature
  std::string record_stacks = {};  // the bytes of kRecordStacksFeature
  u64 first_ns = 0, last_ns = 0;   // times of the first and last record; 0 if nothing was recorded
};
// Facts about the program and its run time, which are the same for all kinds of runs.
perf_data::RunFacts facts_of_run(const SampledProgram& program, const std::vector<readings::Process>& processes,
                                 u64 start_ns, u64 end_ns);

class RecordingWriter {
 public:
  // `file` must be empty.
  RecordingWriter(std::vector<perf_data::WrittenEvent> events, u64 sample_type, os::RecordingFile& file);
  void append(std::string_view records) { file_.append(records); }
  void finish(const RunEnding& ending, const plan::Capabilities& machine, std::span<const std::string> arguments);

 private:
  os::RecordingFile& file_;
  std::vector<perf_data::WrittenEvent> events_;
  u64 sample_type_, records_begin_;
};

// Ids are separate numbers, because perf takes 0 as unknown, and two intervals of an event are two events.
constexpr u64 id_of_event(usize event) {
  return event + 1;
}

}  // namespace wperf::measure
