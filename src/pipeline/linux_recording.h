// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` where the system's own kernel samples: a perf.data file is made while the program runs, then
// read as `report` reads any other. Called by measure_samples and run_sample.
#pragma once
#include <memory>
#include <optional>

#include "device/device.h"
#include "import/perf_data/perf_file.h"
#include "os/mapped_file.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "plan/sample_plan.h"

namespace wperf::pipeline {

struct Recording {
  std::unique_ptr<device::RecordingSession> session;  // the file lives as long as it does
  std::unique_ptr<os::MappedFile> mapped;             // what `file` reaches into
  perf_data::PerfFile file;
  SamplingOutcome outcome;  // all but the samples, which are in the file
};

// Samples until the time is over, the program ends or Ctrl-C.
diag::Result<Recording> record_once(const request::Request& request, Machine& machine, plan::SamplePlan plan,
                                    const SampledProgram& sampled, diag::Console& console);

// The file that the user wants to keep; empty: none.
std::string kept_recording(const request::Request& request);

}  // namespace wperf::pipeline
