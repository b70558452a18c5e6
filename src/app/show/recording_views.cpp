// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/recording_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/sampled_recording.h"
#include "app/output/outputs.h"
#include "app/show/foreign_report.h"
#include "app/show/profile_export.h"
#include "app/show/recorded_compat.h"
#include "app/show/recorded_spe.h"
#include "app/show/sample_views.h"
#include "app/show/spe_views.h"
#include "app/show/trace_views.h"
#include "formats/perf_data/run_facts.h"
#include "views/report/sample_report.h"

namespace wperf::show {
namespace {

diag::Result<void> show_compat(const perf_data::PerfFile& file, const ReportOptions& options, diag::Console& console) {
  WPERF_TRY(const compat::CompatView view, compat_with_progress(file, options, console));
  return output::show(
      options.outputs, console, [&] { return report::sample_text(view, options.samples); },
      [&] { return report::sample_json(view, options.samples); });
}

// WindowsPerf's answers for Windows programs, unless another view is asked for.
diag::Result<void> show_perf_data(const perf_data::PerfFile& file, const ReportOptions& options,
                                  diag::Console& console) {
  if (const auto traces = spe_traces(file)) return show_operations(file, *traces, options, console);
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  // Shown like `record` with the same options: with call stacks, in a table like those of all other recordings.
  const bool has_stacks = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.has(perf_data::kSampleCallchain);
  });
  const bool is_compat = run.has_value() && run->windows && !has_stacks && !options.wants_views;
  if (is_compat) return show_compat(file, options, console);
  return show_samples(recording::SampledRecording(file), options, console);
}

// The first requested option that only traces can answer; empty if there is none.
std::string trace_option(const TraceOptions& options) {
  return options.providers ? "--providers" : options.spans ? "--spans" : options.span.has_value() ? "--span" : "";
}

// As `wperf waits` and `perf sched` record them, with no other events.
bool is_of_switches(const perf_data::PerfFile& file) {
  return !file.attrs().empty() &&
         std::all_of(file.attrs().begin(), file.attrs().end(),
                     [](const perf_data::Event& event) { return event.name.starts_with("sched:"); });
}

diag::Result<void> show_opened(const perf_data::PerfFile& file, const ReportOptions& options, diag::Console& console) {
  const bool is_exported = options.exported.has_value();
  if (is_exported && options.exported->format == request::ExportFormat::perf_data) return export_file(options, console);
  const bool is_pushed = is_exported && options.exported->sink != nullptr;
  if (!is_pushed && is_of_switches(file)) {
    console.warn(fmt::format(
        "note: this is a recording of context switches; `wperf waits {}` shows what threads waited for", options.file));
  }
  const std::string option = trace_option(options.trace);
  if (option.empty()) return show_perf_data(file, options, console);
  return diag::Error{.text = option + " needs a Windows trace, and " + options.file + " is not one",
                     .hint = {},
                     .code = diag::ExitCode::usage};
}

}  // namespace

diag::Result<void> show_recording(const recording::OpenedRecording& opened, const ReportOptions& options,
                                  diag::Console& console) {
  if (opened.counts() != nullptr) return opened.refuse_counts();
  if (opened.profile() != nullptr) return report_foreign(*opened.profile(), options, console);
  if (opened.perf() != nullptr) return show_opened(*opened.perf(), options, console);
  return show_trace(*opened.trace(), options, console);
}

diag::Result<void> show_recording(const measure::Recording& made, const ReportOptions& options,
                                  diag::Console& console) {
  if (made.trace.empty()) return show_perf_data(made.file, options, console);
  WPERF_TRY(const auto opened, recording::OpenedRecording::open({.name = made.trace}, console));
  return show_recording(opened, options, console);
}

}  // namespace wperf::show
