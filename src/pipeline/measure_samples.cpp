// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/measure_samples.h"

#include "pipeline/kernel_sample_profile.h"
#include "pipeline/perf_data_export.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "plan/sample_plan.h"
#include "recording/recorded_capture.h"
#include "report/sample_report.h"

namespace wperf::pipeline {

// Nothing is known of the program before it runs, and addresses differ from process to process, so no base address is
// told.
diag::Result<RecordedRun> record_samples(const request::Request& request, Machine& machine, diag::Console& console) {
  WPERF_TRY(plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.vocabulary));
  SpawnedProgram program(machine.device->machine());
  RecordedRun run;
  WPERF_TRY(run.sampled, start_or_find(request, plan.program_core, machine, program));
  WPERF_TRY(run.recording, record_once(request, machine, std::move(plan), run.sampled, console));
  return run;
}

diag::Result<MeasuredSamples> profile_of(RecordedRun& run, const request::Request& request) {
  SamplingOutcome& outcome = run.recording.outcome;
  std::vector<std::string> events;
  for (const plan::SampleEvent& event : outcome.plan.events) events.push_back(event.name);
  raw::SampleCapture recorded = recording::capture_of(run.recording.file, events);
  outcome.capture.samples = std::move(recorded.samples);
  outcome.capture.tallies = std::move(recorded.tallies);
  MeasuredSamples samples;
  WPERF_TRY(samples.profile,
            build_kernel_sample_profile(outcome, run.recording.file, run.sampled, symbol_options(request)));
  samples.trouble = std::move(outcome.collection.trouble);
  return samples;
}

diag::Result<MeasuredSamples> measure_samples(const request::Request& request, Machine& machine,
                                              diag::Console& console) {
  if (machine.capabilities.kernel != nullptr) {
    WPERF_TRY(RecordedRun run, record_samples(request, machine, console));
    return profile_of(run, request);
  }
  WPERF_TRY(const plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.vocabulary));
  SpawnedProgram program(machine.device->machine());
  WPERF_TRY(const SampledProgram sampled, start_or_find(request, plan.program_core, machine, program));
  const modules::SymbolOptions symbols = symbol_options(request);
  console.out(report::sample_start_text(target_before(machine.device->machine(), sampled, symbols), sampled.pe_file,
                                        request.outputs.verbose));

  WPERF_TRY(SamplingOutcome outcome, sample_once(machine, plan, request.duration_ms(), sampled.pid, console));
  export_perf_data(request, machine.capabilities, outcome, console);
  MeasuredSamples samples;
  WPERF_TRY(samples.profile, build_sample_profile(outcome, sampled, symbols));
  samples.trouble = std::move(outcome.collection.trouble);
  return samples;
}

}  // namespace wperf::pipeline
