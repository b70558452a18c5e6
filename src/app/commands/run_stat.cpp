// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "app/commands/prometheus_endpoint.h"
#include "app/measure/count_runs.h"
#include "app/measure/measure_counts.h"
#include "app/measure/tool.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "app/show/profile_views.h"
#include "base/event_class.h"
#include "ground/diag/result.h"
#include "ground/os/machine_facts.h"
#include "ground/os/output_file.h"
#include "ground/os/process.h"
#include "ground/text/base_name.h"
#include "ground/text/shell_words.h"
#include "machine/plan/count_parts.h"
#include "machine/plan/default_events.h"
#include "model/request/measurement.h"
#include "model/request/recording_view.h"
#include "views/html/counter_pages.h"
#include "views/report/count_report.h"

namespace wperf::commands {
namespace {

int status_of(const request::Measurement& wanted, measure::OpenedMachine& machine,
              const measure::SpawnedProgram& program, diag::Console& console) {
  if (!wanted.program.has_value() || console.interrupted()) return 0;
  return measure::status_of_program(wanted, machine, machine.device->programs().process(program.pid()), console);
}

// Writes to the file of -o. The file gets its name only when it is complete, so that a collector never reads a partial
// file.
diag::Result<void> export_count(const request::Request& request, const answers::CountProfile& profile,
                                diag::Console& console) {
  const std::string text = report::count_prometheus(profile);
  const auto& file = request.outputs.json_file;
  if (!file.has_value() || *file == output::kConsole) {
    console.document(text);
    return {};
  }
  WPERF_TRY(os::OutputFile out, os::OutputFile::create(output::output_path(request.outputs, *file)));
  out.write(text);
  return out.close();
}

diag::Result<void> show_count(const request::Request& request, const answers::CountProfile& profile,
                              diag::Console& console) {
  if (request.recording.export_format.has_value()) return export_count(request, profile, console);
  if (request.outputs.brief.has_value()) {
    output::deliver_brief(request.outputs, brief::of_counts(profile, brief_commands(request)), console);
  } else {
    console.out(report::count_text(profile, {.verbose = request.outputs.verbose}));
  }
  if (!output::wants_json(request.outputs)) return {};
  return output::deliver_json(request.outputs, report::count_json(profile), console);
}

// If the user named no events, explains which counts are missing.
void explain_defaults(const request::Measurement& wanted, const measure::OpenedMachine& machine,
                      answers::CountProfile& profile) {
  const plan::KernelEvents* kernel = machine.capabilities.kernel.get();
  if (kernel == nullptr || !plan::wants_default_events(wanted) || kernel->has_counters()) return;
  profile.remarks.push_back("cycles, instructions and branches are not counted: " + kernel->why_no_cycles());
}

// The names of the events in the parts from `first` on.
std::string names_of(const std::vector<plan::CountPlan>& parts, usize first) {
  std::string names;
  for (usize part = first; part < parts.size(); ++part) {
    for (const plan::Entry& entry : parts[part].schedules[index_of(EventClass::core)].entries) {
      if (!entry.padding) names += (names.empty() ? "" : ", ") + entry.name;
    }
  }
  return names;
}

// -r: the exit status is the worst status of all runs. If not all events can be counted at once, the program runs once
// for each of `parts`.
diag::Result<int> run_counts(const request::Request& request, const plan::CountPlan& plan,
                             std::vector<plan::CountPlan> parts, measure::OpenedMachine& machine,
                             diag::Console& console) {
  // Does not repeat messages for each run, because the program writes to the same terminal.
  measure::WarningsOnlyConsole following(console);
  const measure::MeasureOptions options = measure_options(request);
  std::vector<answers::CountProfile> profiles;
  int status = 0;
  for (u32 run = 0; run < request.runs.value_or(1) && !console.interrupted(); ++run) {
    std::vector<answers::CountProfile> counted;
    for (plan::CountPlan& part : parts) {
      const bool is_first = run == 0 && counted.empty();
      diag::Console& heard = is_first ? console : following;
      measure::SpawnedProgram program(machine.device->programs());
      WPERF_CHECK_OK(measure::start_program(options, part, machine, program, heard));
      WPERF_TRY(measure::MeasuredCount count, measure::measure_count(options, part, machine, program, heard));
      status = std::max(status, status_of(request, machine, program, console));
      // An incomplete run would distort the mean.
      if (is_first || !console.interrupted()) counted.push_back(std::move(count.profile));
      if (console.interrupted()) break;
      if (!count.error.has_value()) continue;
      profiles.push_back(measure::joined_parts(plan, std::move(counted)));
      WPERF_CHECK_OK(show_count(request, measure::mean_of_runs(profiles), console));
      return *count.error;
    }
    if (!counted.empty() && (run == 0 || counted.size() == parts.size())) {
      const std::string uncounted = names_of(parts, counted.size());
      profiles.push_back(measure::joined_parts(plan, std::move(counted)));
      if (!uncounted.empty())
        profiles.back().remarks.push_back("interrupted before these events were counted: " + uncounted);
    }
  }
  answers::CountProfile profile = measure::mean_of_runs(profiles);
  explain_defaults(request, machine, profile);
  WPERF_CHECK_OK(show_count(request, profile, console));
  return status;
}

// Events can be counted in several runs only if wperf starts the program.
diag::Result<std::vector<plan::CountPlan>> parts_of(const request::Measurement& wanted, const plan::CountPlan& plan,
                                                    const measure::OpenedMachine& machine) {
  const u32 at_once = machine.capabilities.counted_at_once;
  std::vector<plan::CountPlan> parts = plan::parts_of(plan, at_once);
  if (parts.size() == 1 || (wanted.program.has_value() && !wanted.timeline.enabled)) return parts;
  return diag::usage_error(
      fmt::format("these events need {} counts, one after the other: {} can be counted at once", parts.size(), at_once),
      fmt::format("give at most {} events to -e; `wperf stat -e … -- PROGRAM` runs a program once per set", at_once));
}

diag::Result<void> check_prometheus(const request::Request& request) {
  const auto format = request.recording.export_format;
  if (!format.has_value()) return {};
  if (*format != request::ExportFormat::prometheus) {
    return diag::usage_error(
        fmt::format("'{}' is not an export format for counts", request::export_name(*format)),
        "use wperf stat --export prometheus; for the formats of recordings use wperf report --export");
  }
  if (!request.timeline.enabled) return {};
  return diag::usage_error("--export prometheus writes a single count, and -t makes many",
                           "leave out -t; the collector adds the times");
}

// --listen serves the current counts to HTTP requests.
diag::Result<void> check_listening(const request::Request& request) {
  if (!request.listen.has_value()) return {};
  if (!request.timeline.enabled && !request.runs.has_value() && !request.recording.export_format.has_value()) return {};
  return diag::usage_error("--listen already counts repeatedly; it cannot be combined with -t, -r and --export",
                           "set the length of one count with --timeout");
}

diag::Result<void> check_runs(const request::Request& request) {
  if (!request.runs.has_value() || (request.program.has_value() && !request.timeline.enabled)) return {};
  return diag::usage_error("-r needs a program to run several times, and cannot be combined with -t",
                           "wperf stat -r 5 -- PROGRAM");
}

diag::Result<void> check_page(const request::Request& request) {
  if (!request.recording.html_file.has_value() || request.timeline.enabled) return {};
  return diag::usage_error("--html shows counts over time, and without -t there is only one count",
                           "wperf stat -t -i 0 --timeout 1 --html page.html -- PROGRAM");
}

// Facts about the run for the page, which may be viewed by other people, or much later.
stacks::RecordingAbout about_of(const request::Request& request) {
  stacks::RecordingAbout about;
  std::vector<std::string> words = {"wperf"};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  about.command = text::quoted_words(words);
  if (request.program.has_value()) about.image = text::base_name(request.program->path);
  about.host = os::host_name();
  about.version = measure::tool_version();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  about.begun_unix_ns = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return about;
}

// Kinds of counters with the same file name replace each other's counts, as in WindowsPerf.
void warn_of_replaced_files(const std::vector<output::TimelineFile>& files, diag::Console& console) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    const auto has_its_path = [&](const output::TimelineFile& other) { return other.path == file->path; };
    if (std::none_of(file + 1, files.end(), has_its_path)) continue;
    console.warn(
        fmt::format("warning: {} does not keep the counts of {}; put {{class}} into its name for a file of each kind",
                    file->path, class_name(file->event_class)));
  }
}

diag::Result<int> run_timeline(const request::Request& request, plan::CountPlan plan, measure::OpenedMachine& machine,
                               const std::vector<output::TimelineFile>& files, diag::Console& console) {
  const measure::MeasureOptions options = measure_options(request);
  measure::SpawnedProgram program(machine.device->programs());
  WPERF_CHECK_OK(measure::start_program(options, plan, machine, program, console));
  const stacks::RecordingAbout about = about_of(request);  // taken now, at the start
  const measure::MeasuredTimeline measured = measure::measure_timeline(options, plan, machine, program, console);
  os::release_interrupt();
  const answers::TimelineProfile& timeline = measured.profile;
  // Counts from before an error are still written.
  diag::FirstFailure written;
  if (measured.error.has_value()) written.add(*measured.error);
  written.add(output::write_timeline_files(timeline, files));
  console.out(report::timeline_notes(timeline));
  if (const auto& file = request.recording.html_file; file.has_value()) {
    written.add(show::write_page(*file, html::count_page(timeline, about), request.outputs, console));
  }
  if (request.outputs.json)
    written.add(output::deliver_json(request.outputs, report::timeline_json(timeline), console));
  WPERF_CHECK_OK(std::move(written).result());
  return status_of(request, machine, program, console);
}

}  // namespace

diag::Result<int> run_stat(const request::Request& request, diag::Console& console) {
  WPERF_CHECK_OK(check_runs(request));
  WPERF_CHECK_OK(check_prometheus(request));
  WPERF_CHECK_OK(check_listening(request));
  WPERF_CHECK_OK(check_page(request));
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console));
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(request, machine));
  WPERF_TRY(std::vector<plan::CountPlan> parts, parts_of(request, plan, machine));
  std::vector<output::TimelineFile> files;
  if (request.timeline.enabled) {
    files = output::timeline_files(request.outputs, plan);
    WPERF_CHECK_OK(output::check_timeline_files(request.outputs, files));
    warn_of_replaced_files(files, console);
  }
  if (request.outputs.verbose) measure::print_plan(plan, machine, files, console);
  if (request.listen.has_value() && parts.size() != 1) {
    return diag::usage_error(
        fmt::format("--listen counts all events at once, and these events need {} counts", parts.size()),
        fmt::format("give at most {} events to -e", machine.capabilities.counted_at_once));
  }
  if (request.listen.has_value()) return serve_prometheus(request, plan, machine, console);
  if (!request.timeline.enabled) return run_counts(request, plan, std::move(parts), machine, console);
  return run_timeline(request, std::move(plan), machine, files, console);
}

}  // namespace wperf::commands
