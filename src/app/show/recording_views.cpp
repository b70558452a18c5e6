// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/recording_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_losses.h"
#include "analysis/recording/sampled_recording.h"
#include "app/output/outputs.h"
#include "app/show/branch_views.h"
#include "app/show/named_samples.h"
#include "app/show/profile_views.h"
#include "app/show/recorded_compat.h"
#include "app/show/recorded_spe.h"
#include "app/show/report_options.h"
#include "app/show/sample_views.h"
#include "app/show/trace_views.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/record_stacks.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "views/report/sample_report.h"
#include "views/report/spe_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// The samples of other events in the file; nullopt if there are none. As for SPE records, debuginfod servers are not
// used.
diag::Result<std::optional<stacks::StackProfile>> samples_of_other_events(const perf_data::PerfFile& file,
                                                                          const ReportOptions& options,
                                                                          diag::Console& console) {
  recording::ReadOptions wanted = options.read;
  wanted.rows = wanted.code = wanted.code_lines = false;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, {}, console));
  if (recorded.profile.samples.empty()) return std::optional<stacks::StackProfile>();
  return std::optional(std::move(recorded.profile));
}

diag::Result<void> show_own_tables(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                   const ReportOptions& options, diag::Console& console) {
  const perf_data::ReadStatistics& statistics = traces.statistics();
  warn_of_damage(
      {statistics.damaged_places(), statistics.damaged_bytes(), recording::records_in_damage(file, statistics)},
      console);
  if (const u64 missing = traces.missing(); missing != 0) {
    console.warn(fmt::format("warning: {} bytes of SPE data are missing from the file", missing));
  }
  WPERF_TRY(const ReadSpe read, read_recorded_spe(file, traces, options, console));
  const answers::CountProfile* const counting = read.counting.has_value() ? &*read.counting : nullptr;
  const report::SpeOptions shown{
      .samples = options.samples(), .memory = options.display.memory, .width = options.tables.width};
  WPERF_TRY(const std::optional<stacks::StackProfile> others, samples_of_other_events(file, options, console));
  if (!output::silent(options.outputs)) {
    console.out(report::spe_text(read.profile, read.view, counting, shown));
    if (others.has_value()) console.out('\n' + report::stack_text(*others, options.tables));
  }
  if (options.wants_spe_json()) {
    report::WriteMembers more;
    if (others.has_value()) more = [&](text::JsonWriter& json) { write_stack(json, *others, options.tables); };
    WPERF_CHECK_OK(output::deliver_json(options.outputs,
                                        report::spe_json(read.profile, read.view, counting, shown, more), console));
  }
  if (read.error.has_value()) return *read.error;
  return {};
}

diag::Result<void> show_operations(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                   const ReportOptions& options, diag::Console& console) {
  // Only views of stacks show the Python functions that called the code.
  const bool has_callers = !file.features().section(perf_data::kRecordStacksFeature).empty();
  const bool shows_stacks = options.wants_views || (has_callers && !options.display.memory);
  const bool own = !shows_stacks || options.records_file.has_value();
  if (own) return show_own_tables(file, traces, options, console);
  if (options.display.memory) {
    return diag::usage_error("--mem has separate tables; --sort, filters and call trees do not apply to them",
                             "leave one of them out");
  }
  warn_of_missing_times(traces, options, console);
  recording::SampledRecording source(file);
  source.operations = &traces;
  return show_samples(source, options, console);
}

// Shows the samples of another program's profile in all views. Returns an error that names an option if it does not
// apply.
diag::Result<void> report_foreign(const recording::OpenedProfile& opened, const ReportOptions& options,
                                  diag::Console& console) {
  const std::string_view name = profiles::format_name(opened.format);
  if (const std::string_view option = options.refused_of_profile; !option.empty()) {
    return diag::usage_error(
        fmt::format("{} cannot be used with a profile ({}): its samples have names only", option, name),
        "use a recording (perf.data, .etl)");
  }
  const auto& timeline_ms = options.display.timeline_ms;
  const bool exports = options.exported.has_value();
  const bool has_page = options.pages.html_file.has_value();
  profiles::ProfileReadOptions read_options{.lines = options.read.lines || exports,
                                            .times = exports || has_page || timeline_ms.has_value(),
                                            .slice_ns = timeline_ms.has_value() ? u64{*timeline_ms} * 1'000'000
                                                        : has_page              ? request::kPageSliceNs
                                                                                : 0};
  const bool chooses_time = options.read.time.has_value();
  if (chooses_time) {
    read_options.from_seconds = options.read.time->from;
    read_options.to_seconds = options.read.time->to;
  }
  auto read = profiles::read_foreign_profile(opened.bytes, opened.format, read_options, opened.passed);
  if (!read.has_value()) return recording::with_file_name(options.file, std::move(read).error());
  profiles::ForeignProfile& foreign = read.value();
  for (const std::string& warning : foreign.warnings) console.warn("warning: " + warning);
  if ((chooses_time || timeline_ms.has_value()) && !foreign.has_times) {
    return diag::usage_error(fmt::format("{} needs sample times, and {} ({}) has none",
                                         chooses_time ? "--time" : "--timeline", options.file, name));
  }
  foreign.profile.file = options.file;
  return show_profile({.profile = foreign.profile, .moments = foreign.moments}, options, console);
}

diag::Result<void> show_compat(const perf_data::PerfFile& file, const ReportOptions& options, diag::Console& console) {
  WPERF_TRY(const compat::CompatView view, compat_with_progress(file, options, console));
  return output::show(
      options.outputs, console, [&] { return report::sample_text(view, options.samples()); },
      [&] { return report::sample_json(view, options.samples()); });
}

// Shows WindowsPerf's answers for Windows programs, unless another view is requested.
diag::Result<void> show_perf_data(const perf_data::PerfFile& file, const ReportOptions& options,
                                  diag::Console& console) {
  if (options.branches) return show_branches(file, options, console);
  if (const auto traces = spe_traces(file)) return show_operations(file, *traces, options, console);
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  // As in `record` with the same options, a recording with call stacks is not shown in WindowsPerf's form.
  const bool has_stacks = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.has(perf_data::kSampleCallchain);
  });
  const bool is_compat = run.has_value() && run->windows && !has_stacks && !options.wants_views;
  if (is_compat) return show_compat(file, options, console);
  return show_samples(recording::SampledRecording(file), options, console);
}

// The first given option that applies only to traces; empty if no such option was given.
std::string trace_option(const TraceOptions& options) {
  return options.providers ? "--providers" : options.spans ? "--spans" : options.span.has_value() ? "--span" : "";
}

// Does the file have only the events that `wperf waits` and `perf sched` record?
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
  return diag::usage_error(option + " needs a Windows trace, and " + options.file + " is not one");
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
