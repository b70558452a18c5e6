// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/session.h"

#include <algorithm>

#include "app/capi/configurations.h"
#include "app/commands/options_builder.h"
#include "app/measure/measure_counts.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/test_report.h"
#include "app/show/recorded_compat.h"
#include "ground/text/unicode.h"
#include "machine/devices/devices.h"
#include "views/compat/code_and_sources.h"

namespace wperf::capi {
namespace {

diag::Result<void> check_cores_only(const plan::CountPlan& plan) {
  for (const EventClass event_class : kEventClasses) {
    if (event_class == EventClass::core || plan.schedules[index_of(event_class)].entries.empty()) continue;
    return diag::usage_error(
        "the library counts on the cores only, but a metric has events of " + std::string(class_name(event_class)),
        "wperf_list_metrics() lists the metrics that count on the cores");
  }
  return {};
}

// Linux refuses to count a process that does not exist. Windows tracing would count nothing, so such a process is
// refused here.
diag::Result<void> check_can_follow(const request::Request& request, const measure::OpenedMachine& machine) {
  if (!request.process.has_value()) return {};
  const plan::KernelEvents* kernel = machine.capabilities.kernel.get();
  if (kernel == nullptr) {
    return diag::usage_error("this device counts cores, and cannot follow a running process",
                             "name cores instead of a process");
  }
  if (!kernel->is_windows() || machine.device->programs().process(*request.process).running) return {};
  return diag::usage_error("no process " + std::to_string(*request.process) + " is running");
}

}  // namespace

diag::Result<std::unique_ptr<Session>> Session::open(const std::string& device, diag::Console& console) {
  request::Request request;
  request.command = request::Command::stat;
  request.device = device.empty() ? measure::choose_device(request, devices::devices_here()).name : device;
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console, device::Device::Spe::asked_for));
  return std::unique_ptr<Session>(new Session(std::move(machine)));
}

diag::Result<VERSION_INFO> Session::driver_version() {
  WPERF_TRY(const device::DriverVersion driver, machine_.device->driver_version());
  VERSION_INFO version{};
  version.major = driver.major;
  version.minor = driver.minor;
  version.patch = driver.patch;
  const std::wstring git = text::wide_of(driver.git);
  std::copy_n(git.begin(), std::min(git.size(), std::size(version.gitver) - 1), version.gitver);
  return version;
}

// Returns an error if a signal killed the started program.
std::optional<diag::Error> Session::kill_of(const request::Request& request, u32 pid, diag::Console& console) {
  if (pid == 0) return std::nullopt;
  const auto lived = measure::check_not_killed(request, machine_.device->programs().process(pid), console);
  return lived.has_value() ? std::nullopt : std::optional(lived.error());
}

diag::Result<void> Session::load_events(const LIST_CONF& conf) {
  events.reset();
  if ((conf.list_event_types & ~(WPERF_LIST_CORE_EVENTS | WPERF_LIST_SYSTEM_EVENTS)) != 0) {
    return diag::Error{.text = "list_event_types includes events that are not of the cores or the system", .hint = {}};
  }
  events = event_rows(words_, machine_.capabilities.kernel.get(), conf.list_event_types);
  return {};
}

diag::Result<void> Session::load_metrics() {
  metrics.reset();
  WPERF_TRY(metrics, metric_rows(words_));
  return {};
}

// Makes one count, or all counts of a timeline. `error`: the error that ended the measurement after the returned
// counts, if any.
diag::Result<std::vector<answers::CountProfile>> Session::measure(const request::Request& request,
                                                                  diag::Console& console,
                                                                  std::optional<diag::Error>& error) {
  machine_.catalog = words_;
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(request, machine_));
  WPERF_CHECK_OK(check_cores_only(plan));
  std::vector<output::TimelineFile> files;
  if (request.outputs.csv_file.has_value()) files = output::timeline_files(request.outputs, plan);
  if (request.outputs.verbose) measure::print_plan(plan, machine_, files, console);
  const measure::MeasureOptions options = commands::measure_options(request);
  measure::SpawnedProgram program(machine_.device->programs());
  WPERF_CHECK_OK(measure::start_program(options, plan, machine_, program, console));
  if (!request.timeline.enabled) {
    WPERF_TRY(measure::MeasuredCount count, measure::measure_count(options, plan, machine_, program, console));
    error = std::move(count.error);
    if (!error.has_value()) error = kill_of(request, program.pid(), console);
    return std::vector<answers::CountProfile>{std::move(count.profile)};
  }
  measure::MeasuredTimeline measured = measure::measure_timeline(options, plan, machine_, program, console);
  error = std::move(measured.error);
  if (!error.has_value()) error = kill_of(request, program.pid(), console);
  const auto written = output::write_timeline_files(measured.profile, files);
  if (!written.has_value() && !error.has_value()) error = written.error();
  return std::move(measured.profile.counts);
}

diag::Result<void> Session::count(diag::Result<request::Request> wanted, bool verbose, diag::Console& console) {
  WPERF_CHECK_OK(check_nothing_runs());
  counts.reset();
  count_metrics.reset();
  WPERF_TRY(request::Request request, std::move(wanted));
  WPERF_CHECK_OK(check_cores(request.cores, machine_.capabilities.core_count));
  request.outputs.verbose = verbose;
  std::optional<diag::Error> error;
  WPERF_TRY(const std::vector<answers::CountProfile> measured, measure(request, console, error));
  keep_counts(measured);
  if (error.has_value()) return *error;
  return {};
}

diag::Result<void> Session::check_nothing_runs() const {
  if (section_ == nullptr) return {};
  return diag::usage_error("a count is running: call wperf_stat_end() first");
}

void Session::keep_counts(std::span<const answers::CountProfile> measured) {
  counts = stat_rows(measured);
  count_metrics = stat_metric_rows(measured);
}

diag::Result<void> Session::begin_count(diag::Result<request::Request> wanted, diag::Console& console) {
  WPERF_CHECK_OK(check_nothing_runs());
  counts.reset();
  count_metrics.reset();
  WPERF_TRY(const request::Request request, std::move(wanted));
  WPERF_CHECK_OK(check_cores(request.cores, machine_.capabilities.core_count));
  WPERF_CHECK_OK(check_can_follow(request, machine_));
  machine_.catalog = words_;
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(request, machine_));
  WPERF_CHECK_OK(check_cores_only(plan));
  WPERF_TRY(section_, measure::CountSection::begin(std::move(plan), machine_, console));
  return {};
}

diag::Result<void> Session::end_count() {
  if (section_ == nullptr) {
    return diag::usage_error("no count is running: call wperf_stat_begin() first");
  }
  const std::unique_ptr<measure::CountSection> section = std::move(section_);
  WPERF_TRY(const answers::CountProfile profile, section->end());
  keep_counts({&profile, 1});
  return {};
}

diag::Result<void> Session::sample(diag::Result<request::Request> wanted, bool verbose, diag::Console& console) {
  WPERF_CHECK_OK(check_nothing_runs());
  samples.reset();
  annotations.reset();
  sample_stats.reset();
  machine_.catalog = words_;
  WPERF_TRY(request::Request request, std::move(wanted));
  request.outputs.verbose = verbose;
  WPERF_TRY(measure::Recording recording,
            measure::record_samples(commands::measure_options(request), machine_, console));
  // The command line tool would only print a warning. A program that requests rows would not see the warning, so this
  // is an error.
  if (request.command == request::Command::sample && recording.sampled.pid == 0) {
    return diag::usage_error("no program named '" + recording.sampled.image_name + "' is running");
  }
  if (!recording.trace.empty()) {
    WPERF_CHECK_OK(measure::read_trace(recording));
    if (recording.sampled.pid != 0)
      request.recording.pids = {recording.sampled.pid};  // because a trace has all
                                                         // programs
  }
  WPERF_TRY(const compat::CompatView view,
            show::recorded_compat(recording.file, commands::plain_read_options(request), request.sampling.display,
                                  request.sampling.display_rows));
  const request::SampleDisplay& display = request.sampling.display;
  const SampleSelection selection{.most_functions = request.sampling.display_rows,
                                  .symbol = compat::name_filter(display)};
  samples = sample_rows(view, selection);
  if (display.annotate) annotations = annotate_rows(view, selection);
  sample_stats =
      SAMPLE_STATS{.samples_generated = view.run.samples_generated(), .samples_dropped = view.run.samples_dropped()};
  if (recording.error.has_value()) return *recording.error;
  if (recording.end != measure::WaitEnd::program_ended) return {};
  if (auto kill = kill_of(request, recording.sampled.pid, console); kill.has_value()) return *std::move(kill);
  return {};
}

diag::Result<void> Session::test(const diag::Result<request::Request>& wanted) {
  WPERF_CHECK_OK(check_nothing_runs());
  tests.reset();
  lib_tests.reset();
  machine_.catalog = words_;
  WPERF_TRY(const request::Request request, wanted);
  WPERF_TRY(const answers::TestReport report, measure::measure_test(request, machine_));
  tests = test_rows(words_.product, report);
  lib_tests = lib_test_rows(words_.product, report);
  return {};
}

}  // namespace wperf::capi
