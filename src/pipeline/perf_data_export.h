// SPDX-License-Identifier: BSD-3-Clause
// --export_perf_data and --output-perf-data where a driver of ours samples: the samples, programs and modules of a run
// as a perf.data file (contract 9.10). Called by measure_samples. The Linux device records such a file by itself.
#pragma once
#include <span>
#include <string>

#include "diag/console.h"
#include "pipeline/sampling.h"
#include "plan/plan.h"
#include "plan/sample_plan.h"
#include "request/request.h"

namespace wperf::pipeline {

// One event for each of the plan, one SAMPLE record for each event that a sample is of; addresses and paths are the
// machine's. Pure.
std::string perf_data_of(const plan::SamplePlan& plan, const raw::SampleCapture& capture,
                         const plan::Capabilities& machine, std::span<const std::string> arguments);

// Writes the file if the user wants one. One that cannot be written is no failure of the run.
void export_perf_data(const request::Request& request, const plan::Capabilities& machine,
                      const SamplingOutcome& outcome, diag::Console& console);

}  // namespace wperf::pipeline
