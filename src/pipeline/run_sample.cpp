// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_sample.h"

#include <fmt/format.h>

#include "pipeline/machine.h"
#include "pipeline/measure_samples.h"
#include "pipeline/outputs.h"
#include "pipeline/run_report.h"
#include "pipeline/run_spe.h"
#include "pipeline/sample_profile_input.h"
#include "plan/sample_plan.h"
#include "report/sample_report.h"
#include "request/sample_target.h"

namespace wperf::pipeline {

report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console) {
  const request::SampleDisplay& display = request.sampling.display;
  report::SampleOptions options;
  options.rows = display.rows;
  options.symbol = name_filter(display);
  options.verbose = request.outputs.verbose;
  options.annotate = display.annotate;
  options.disassemble = display.disassemble;
  for (const request::Breakdown kind : display.by) options.by.push_back(static_cast<report::SampleBreakdown>(kind));
  options.source = display.annotate && console.animated();
  options.colour = console.animated();
  options.most_bytes = request.outputs.json_file.has_value() ? 0 : report::kMostBytesForClients;
  return options;
}

namespace {

// Is the answer that of `report` to a list of samples? It is where callers or one of its views are asked for.
bool wants_stack_report(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  return plan::wanted_call_stacks(request).wanted() || view.time.has_value() || !view.sort.empty() ||
         !view.comms.empty() || !view.modules.empty() || !view.pids.empty() || !view.tids.empty();
}

// -o FILE.data keeps the recording; any other FILE gets the JSON.
request::Request with_kept_file(request::Request request) {
  std::optional<std::string>& output = request.outputs.json_file;
  if (!output.has_value() || !output->ends_with(".data")) return request;
  request.sampling.perf_data_file.swap(output);
  output.reset();
  return request;
}

void tell_kept(const request::Request& request, const Recording& recording, diag::Console& console) {
  const std::string kept = kept_recording(request);
  if (kept.empty() || silent(request.outputs)) return;
  console.out(fmt::format("recorded in {}: {} bytes; `wperf report {}` shows it again\n", kept,
                          recording.mapped->bytes().size(), kept));
}

diag::Result<void> show_profile(const profile::SampleProfile& profile, const request::Request& request,
                                diag::Console& console) {
  const report::SampleOptions options = sample_report_options(request, console);
  if (!silent(request.outputs)) console.out(report::sample_text(profile, options));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::sample_json(profile, options), console);
  return {};
}

// What was recorded is shown even where something went wrong on the way; that is said behind it.
diag::Result<void> run_recording(const request::Request& request, Machine& machine, diag::Console& console) {
  WPERF_TRY(RecordedRun run, record_samples(request, machine, console));
  if (run.recording.outcome.plan.call_stacks.wanted() || wants_stack_report(request)) {
    WPERF_CHECK_OK(report_samples(run.recording.file, request, console));
  } else {
    WPERF_TRY(MeasuredSamples samples, profile_of(run, request));
    WPERF_CHECK_OK(show_profile(samples.profile, request, console));
    run.recording.outcome.collection.trouble = std::move(samples.trouble);
  }
  tell_kept(request, run.recording, console);
  if (run.recording.outcome.collection.trouble.has_value()) return *run.recording.outcome.collection.trouble;
  return {};
}

}  // namespace

diag::Result<void> run_sample(const request::Request& request, diag::Console& console) {
  if (request.sampling.perf_data && request.sampling.spe.has_value()) {
    return diag::Error{.text = "records of SPE are not written to perf.data",
                       .hint = "--records FILE writes them one by one, as JSON or CSV",
                       .code = diag::ExitCode::usage};
  }
  if (request.sampling.spe.has_value()) return run_spe(request, console);
  if (request.sampling.display.memory || request.sampling.records_file.has_value()) {
    return diag::Error{
        .text = fmt::format("{} needs records of SPE", request.sampling.display.memory ? "--mem" : "--records"),
        .hint = "sample with -e arm_spe_0//",
        .code = diag::ExitCode::usage};
  }
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(Machine machine, open_machine(request, console));
  if (machine.capabilities.kernel != nullptr) return run_recording(with_kept_file(request), machine, console);
  if (wants_stack_report(request)) {
    return diag::Error{.text = "call stacks and the views of recordings are there on the linux device only",
                       .hint = "--by caller shows who calls the hot functions, where the device knows it",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(const MeasuredSamples samples, measure_samples(request, machine, console));
  WPERF_CHECK_OK(show_profile(samples.profile, request, console));
  if (samples.trouble.has_value()) return *samples.trouble;
  return {};
}

}  // namespace wperf::pipeline
