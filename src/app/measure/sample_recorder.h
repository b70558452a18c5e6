// SPDX-License-Identifier: BSD-3-Clause
// The samples of wperf's driver as a recording: the samples, programs and modules of a run as a perf.data file
// (contract 9.10). The Linux device records such a file by itself.
#pragma once
#include <set>
#include <span>
#include <string>

#include "app/measure/recording_writer.h"
#include "machine/plan/sample_plan.h"

namespace wperf::measure {

// One event for each of the plan, one SAMPLE record for each event that a sample is of; addresses and paths are the
// machine's.
class SampleRecorder {
 public:
  // `file`: empty, nothing in it yet.
  SampleRecorder(const plan::SamplePlan& plan, os::RecordingFile& file);
  // Takes the samples of a capture, so that they do not grow with time.
  void take(readings::SampleCapture& capture);
  u64 taken() const { return taken_; }
  // `capture`: with everything that is known at the end.
  void finish(const readings::SampleCapture& capture, const plan::Capabilities& machine,
              std::span<const std::string> arguments, const SampledProgram& program);

 private:
  const plan::SamplePlan& plan_;
  RecordingWriter writer_;
  u64 taken_ = 0;
  u64 first_ns_ = ~u64{0}, last_ns_ = 0;
  std::set<ProcessAndThread> threads_;  // the sampled ones
};

}  // namespace wperf::measure
