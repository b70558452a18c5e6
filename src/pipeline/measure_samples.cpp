// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/measure_samples.h"

#include "pipeline/kernel_sample_profile.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "plan/sample_plan.h"
#include "report/sample_report.h"

namespace wperf::pipeline {

namespace {

u64 duration_of(const request::Request& request) {
  return request.timeout.value_or(request::Duration{}).milliseconds;
}

// Nothing is known of the program before it runs, and addresses differ from process to process, so no base address is
// told.
diag::Result<MeasuredSamples> sample_with_kernel(const request::Request& request, Machine& machine,
                                                 plan::SamplePlan plan, const SampledProgram& sampled,
                                                 diag::Console& console) {
  if (sampled.pid != 0) plan.process = sampled.pid;
  WPERF_TRY(SamplingOutcome outcome, sample_once(machine, plan, duration_of(request), sampled.pid, console));
  MeasuredSamples samples;
  WPERF_TRY(samples.profile, build_kernel_sample_profile(outcome, sampled, symbol_options(request)));
  samples.trouble = std::move(outcome.collection.trouble);
  return samples;
}

}  // namespace

diag::Result<MeasuredSamples> measure_samples(const request::Request& request, Machine& machine,
                                              diag::Console& console) {
  WPERF_TRY(plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.vocabulary));
  SpawnedProgram program(machine.device->machine());
  WPERF_TRY(const SampledProgram sampled, start_or_find(request, plan.program_core, machine, program));
  const SymbolOptions symbols = symbol_options(request);
  if (machine.capabilities.kernel != nullptr)
    return sample_with_kernel(request, machine, std::move(plan), sampled, console);
  console.out(report::sample_start_text(target_before(machine.device->machine(), sampled, symbols), sampled.pe_file,
                                        request.outputs.verbose));

  WPERF_TRY(SamplingOutcome outcome, sample_once(machine, plan, duration_of(request), sampled.pid, console));
  MeasuredSamples samples;
  WPERF_TRY(samples.profile, build_sample_profile(outcome, sampled, symbols));
  samples.trouble = std::move(outcome.collection.trouble);
  return samples;
}

}  // namespace wperf::pipeline
