// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/measure_samples.h"

#include "pipeline/sample_profile_input.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "plan/sample_plan.h"
#include "report/sample_report.h"

namespace wperf::pipeline {

diag::Result<MeasuredSamples> measure_samples(const request::Request& request, Machine& machine,
                                              diag::Console& console) {
  WPERF_TRY(const plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.vocabulary));
  SpawnedProgram program(machine.device->machine());
  WPERF_TRY(const SampledProgram sampled, start_or_find(request, plan.program_core, machine, program));
  const SymbolOptions symbols = symbol_options(request);
  console.out(report::sample_start_text(target_before(machine.device->machine(), sampled, symbols), sampled.pe_file,
                                        request.outputs.verbose));

  const u64 duration_ms = request.timeout.value_or(request::Duration{}).milliseconds;
  WPERF_TRY(SamplingOutcome outcome, sample_once(machine, plan, duration_ms, sampled.pid, console));
  MeasuredSamples samples;
  WPERF_TRY(samples.profile, build_sample_profile(outcome, sampled, symbols));
  samples.trouble = std::move(outcome.collection.trouble);
  return samples;
}

}  // namespace wperf::pipeline
