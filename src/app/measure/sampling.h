// SPDX-License-Identifier: BSD-3-Clause
// One sampling run: configures the counters, shows progress while time passes, collects samples from the rings, and
// stops. Also writes the recording of the run.
#pragma once
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/measure/collecting.h"
#include "app/measure/driver_python.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_writer.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/sample_plan.h"
#include "model/readings/samples.h"

namespace wperf::measure {

struct SamplingOutcome {
  plan::SamplePlan plan;            // with the intervals that were used
  readings::SampleCapture capture;  // without the samples
  Collection collection;
};

// `begin` is called with the final plan, then `take` with the samples of each drain.
struct SampleSink {
  std::function<diag::Result<void>(const plan::SamplePlan&)> begin;
  std::function<void(readings::SampleCapture&)> take;
};
diag::Result<SamplingOutcome> sample_once(OpenedMachine& machine, const plan::SamplePlan& plan,
                                          const StopCondition& until, diag::Console& console, const SampleSink& sink);

// If the plan has a rate, makes short runs that only measure how often each event occurs, until the intervals have
// settled or process `pid` ends; 0: no process.
diag::Result<void> adapt_intervals(OpenedMachine& machine, plan::SamplePlan& plan, u32 pid);

// Samples as records of a perf.data file: a SAMPLE record for each event of a sample.
class SampleRecords {
 public:
  // Takes the samples out of a capture, so that it does not grow. `python`: null if not requested.
  void take(const plan::SamplePlan& plan, readings::SampleCapture& capture, DriverPython* python);

  const std::string& bytes() const { return bytes_; }
  u64 samples() const { return samples_; }
  u64 first_ns() const { return first_ns_; }  // greater than last_ns() if there are no samples
  u64 last_ns() const { return last_ns_; }
  const std::set<ProcessAndThread>& threads() const { return threads_; }  // threads with samples

 private:
  std::string bytes_;
  u64 samples_ = 0, first_ns_ = ~u64{0}, last_ns_ = 0;
  std::set<ProcessAndThread> threads_;
};

// Writes the samples, programs and modules of a run of wperf's driver as a perf.data file (contract 9.10). It has an
// event for each event of the plan. Addresses and paths are the ones on the recorded machine.
class SampleRecorder {
 public:
  // `file` must be empty. `python`: null if not requested.
  SampleRecorder(const plan::SamplePlan& plan, os::RecordingFile& file, DriverPython* python = nullptr);
  void append(const SampleRecords& records);
  // `capture`: the facts that are known at the end.
  void finish(const readings::SampleCapture& capture, const plan::Capabilities& machine,
              std::span<const std::string> arguments, const SampledProgram& program);

 private:
  const plan::SamplePlan& plan_;
  RecordingWriter writer_;
  DriverPython* python_;
  u64 first_ns_ = ~u64{0}, last_ns_ = 0;
  std::set<ProcessAndThread> threads_;  // the threads threads with samples
};

}  // namespace wperf::measure
