// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/trace_views.h"

#include <fmt/format.h>

#include "analysis/recording/sampled_recording.h"
#include "analysis/recording/trace_recording.h"
#include "app/measure/tool.h"
#include "app/show/profile_export.h"
#include "app/show/provider_report.h"
#include "app/show/sample_views.h"
#include "app/show/span_report.h"
#include "ground/text/number_text.h"
#include "views/report/trace_facts_text.h"

namespace wperf::show {
namespace {

// The error names the contents of the trace instead.
diag::Error no_samples(const recording::TraceRecording& recorded, const std::string& name) {
  const bool idle = recorded.idle_samples != 0;
  const std::string switches = recorded.switches_were_on
                                   ? fmt::format("show its context switches with `wperf waits {}`; ", name)
                                   : std::string();
  return {
      .text = fmt::format("{} has no samples: {}", name,
                          idle                       ? "every sample was taken on an idle core"
                          : recorded.samples_were_on ? "none was taken while it was recorded"
                                                     : "sampling was not enabled while it was recorded"),
      .hint = idle ? switches + "--idle shows the samples of idle cores"
                   : fmt::format("{}list the events of the trace with `wperf report {} --providers`", switches, name)};
}

// `--idle` is for traces: recordings of Linux contain idle cores like any others.
diag::Result<void> show_samples_of(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  // Waits are a part of pages and exports; a perf.data file cannot hold a trace's switches.
  const bool as_recording =
      options.exported.has_value() && options.exported->format == request::ExportFormat::perf_data;
  const bool exports = options.exported.has_value() && !as_recording;
  const recording::TraceWishes wishes{
      .switches = exports || options.pages.html_file.has_value() || options.needs_switches(),
      .running = options.trace.span.has_value(),
      .idle = options.trace.idle,
      .cores = options.trace.cores};
  WPERF_TRY(recording::ConvertedTrace converted,
            recording::convert_trace(trace, measure::tool_version(), wishes, options.file));
  const recording::TraceRecording& made = converted.made;
  converted.facts.idle_samples = made.idle_samples;
  tell_trace_losses(converted.facts, options, console);
  if (!wishes.cores.empty()) {
    console.warn(
        fmt::format("note: Windows samples all cores; {} samples are left out because they were taken on cores not "
                    "chosen by -c or --cores",
                    text::with_commas(made.samples_of_other_cores)));
  }
  // Waits are something to hand on, too.
  const bool has_waits = exports && has_place_for_waits(options.exported->format) && !made.switches.switches.empty();
  if (made.samples == 0 && !has_waits) {
    const diag::Error none = no_samples(made, options.is_kept ? options.file : std::string("the recording"));
    // A temporary recording was just made for this report and has no older parts.
    if (exports || !options.is_kept) return none;
    console.warn(fmt::format("note: {}; {}", none.text, none.hint));
  }
  if (as_recording) return export_recording(*converted.mapped, options, console);
  recording::SampledRecording source(std::move(converted));
  if (options.trace.span.has_value()) {
    WPERF_TRY(source.spans, choose_spans(trace, *options.trace.span, console));
  }
  return show_samples(source, options, console);
}

}  // namespace

diag::Result<void> show_trace(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  if (options.trace.providers) return report_providers(trace, options, console);
  if (options.trace.spans) return report_spans(trace, options, console);
  return show_samples_of(trace, options, console);
}

void tell_trace_losses(const stacks::TraceFacts& facts, const ReportOptions& options, diag::Console& console) {
  for (const std::string& line : report::trace_loss_lines(facts, options.outputs.verbose)) {
    console.warn("warning: " + line);
  }
}

}  // namespace wperf::show
