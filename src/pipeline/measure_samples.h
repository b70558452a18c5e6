// SPDX-License-Identifier: BSD-3-Clause
// `sample` and `record` up to their profile: plan, program, sampling, names. What becomes of the profile is the
// caller's: run_sample writes it as text and JSON, the C API hands it out row by row.
#pragma once
#include <optional>

#include "diag/console.h"
#include "diag/result.h"
#include "pipeline/linux_recording.h"
#include "pipeline/machine.h"
#include "profile/sample_profile.h"
#include "request/request.h"

namespace wperf::pipeline {

struct MeasuredSamples {
  profile::SampleProfile profile;
  std::optional<diag::Error> trouble;  // the program crashed: what was sampled is still good
};
diag::Result<MeasuredSamples> measure_samples(const request::Request& request, Machine& machine,
                                              diag::Console& console);

// The same in two steps, where the system's own kernel samples into a file.
struct RecordedRun {
  SampledProgram sampled;
  Recording recording;
};
diag::Result<RecordedRun> record_samples(const request::Request& request, Machine& machine, diag::Console& console);
// Takes the trouble of the run with it.
diag::Result<MeasuredSamples> profile_of(RecordedRun& run, const request::Request& request);

}  // namespace wperf::pipeline
