// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_sample.h"

#include <fmt/format.h>

#include "pipeline/machine.h"
#include "pipeline/measure_samples.h"
#include "pipeline/outputs.h"
#include "pipeline/run_spe.h"
#include "pipeline/sample_profile_input.h"
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

diag::Result<void> run_sample(const request::Request& request, diag::Console& console) {
  if (request.sampling.perf_data) {
    return diag::Error{.text = "this wperf does not write perf.data yet", .hint = "leave --export_perf_data out"};
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
  WPERF_TRY(const MeasuredSamples samples, measure_samples(request, machine, console));
  const report::SampleOptions options = sample_report_options(request, console);
  if (!silent(request.outputs)) console.out(report::sample_text(samples.profile, options));
  if (wants_json(request.outputs))
    deliver_json(request.outputs, report::sample_json(samples.profile, options), console);
  if (samples.trouble.has_value()) return *samples.trouble;
  return {};
}

}  // namespace wperf::pipeline
