// SPDX-License-Identifier: BSD-3-Clause
// `waits`: records context switches or opens such a recording, and shows why threads did not run.
#include "analysis/recording/opened_recording.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/hung_process.h"
#include "app/commands/options_builder.h"
#include "app/commands/program_hint.h"
#include "app/commands/wait_rights.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/show/wait_views.h"
#include "ground/os/process.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/plan/kernel_words.h"

namespace wperf::commands {
namespace {

constexpr std::string_view kEvents[] = {"sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new"};
constexpr u32 kRunningIntervalNs = 1'000'000;  // for samples that show where threads run

// Is the user allowed to record scheduler tracepoints?
bool has_tracepoints() {
  linux_kernel::mount_tracefs();
  const std::optional<linux_kernel::LinuxFacts> facts = linux_kernel::linux_facts();
  return facts.has_value() && facts->scheduler;
}

void add_event(request::Request& request, std::string_view name, std::optional<u32> interval) {
  request.sampling.events.push_back(
      {.text = std::string(name), .number = {}, .interval = interval, .interval_error = {}});
}

// For users who may not use tracepoints: records switches of the user's programs, with stacks if they may sample the
// kernel.
diag::Result<void> plan_own_switches(request::Request& request, diag::Console& console) {
  const std::optional<linux_kernel::LinuxFacts> facts = linux_kernel::linux_facts();
  if (facts.has_value()) WPERF_CHECK_OK(check_own_switches(*facts, request));
  const bool all = facts.has_value() && facts->whole_cores;
  request.kernel = all || (facts.has_value() && facts->own_kernel);
  request.sampling.whole_machine = all;
  const char* const event = request.kernel ? "context-switches" : "dummy";
  add_event(request, event, 1);
  console.warn("note: wperf cannot read the scheduler's tracepoints, so it does not record which thread ended a wait");
  if (!request.kernel) {
    console.warn(
        "note: stacks of context switches, which show where threads waited, are not recorded either; they need "
        "kernel.perf_event_paranoid at 1 or below");
  }
  return {};
}

// Windows always records the whole machine, with stacks.
void plan_trace(request::Request& request) {
  request.sampling.events.clear();
  add_event(request, plan::kSchedulerEvent, 1);
  if (request.waits.on_off) add_event(request, "timer", kRunningIntervalNs);
}

diag::Result<void> plan_recording(request::Request& request, diag::Console& console) {
  request.kernel = true;
  if (has_tracepoints()) {
    // Like `record` for the scheduler of the whole machine, because any thread may wake another one.
    for (const std::string_view name : kEvents) add_event(request, name, 1);
    request.sampling.whole_machine = true;
  } else {
    WPERF_CHECK_OK(plan_own_switches(request, console));
  }
  if (request.waits.on_off) add_event(request, "cpu-clock", kRunningIntervalNs);
  const request::CallStacks asked = request.sampling.call_stacks;
  if (asked.wanted() && asked.python == request::PythonFrames::none) return {};
  // Every switch on the machine has a stack copy, so the copies are half as long as for samples.
  request.sampling.call_stacks = request::automatic_stacks();
  request.sampling.call_stacks.most_frames = asked.most_frames;
  request.sampling.call_stacks.python = asked.python;
  request.sampling.call_stacks.stack_bytes = request::kDefaultStackBytes;
  return {};
}

// Drivers do not record waits. Returns etw:fake for the simulated machine, and otherwise the same device.
std::string device_that_sees_waits(const std::string& device) {
  constexpr std::string_view kSimulated = "sim", kWithOptions = "sim:";
  if (device == kSimulated) return "etw:fake";
  return device.starts_with(kWithOptions) ? "etw:fake," + device.substr(kWithOptions.size()) : device;
}

diag::Result<int> record_waits(const request::Request& asked, diag::Console& console) {
  request::Request request = with_kept_file(asked);
  request.command = request::Command::record;
  request.device = device_that_sees_waits(asked.device);
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console));
  if (machine.capabilities.kernel == nullptr) {
    return diag::usage_error("a driver cannot see why threads wait; waits needs the linux or etw device",
                             "to read a perf.data file with context switches or an .etl trace, use `wperf waits FILE`");
  }
  const bool is_trace = machine.capabilities.kernel->is_windows();
  if (is_trace) {
    plan_trace(request);
  } else {
    WPERF_CHECK_OK(plan_recording(request, console));
  }
  WPERF_TRY(const measure::Recording recording, measure::record_samples(measure_options(request), machine, console));
  request.command = request::Command::waits;
  const std::string kept = kept_recording(request);
  if (is_trace) {
    request.data_file = recording.trace;
    request.data_file_is_kept = !kept.empty();
  } else {
    if (!kept.empty()) request.data_file = kept;
    os::release_interrupt();
  }
  show::ReportOptions options = report_options(request, console);
  show::WaitOptions waits = wait_options(request, options);
  if (is_trace && !request.sampling.whole_machine) waits.program = recording.sampled.pid;
  const u32 process = is_trace ? 0 : request.process.value_or(0);
  if (const auto hung = process != 0 ? hung_process(process, waits, recording) : std::nullopt; hung.has_value()) {
    WPERF_CHECK_OK(show::show_wait_report(hung->report, nullptr, &hung->about, options, console));
  } else {
    auto shown = show::show_waits(recording, waits, options, console);
    // A recording that could not be written completely may lack data that `waits` needs.
    if (!shown.has_value()) return recording.error.has_value() ? *recording.error : std::move(shown).error();
  }
  print_json_file(request, console);
  print_kept_recording(request, recording, console);
  return measure::status_of_recording(request, machine, recording, console);
}

}  // namespace

diag::Result<int> run_waits(const request::Request& asked, diag::Console& console) {
  // A page covers the whole recording unless the user requested a part of it.
  const request::RecordingView& view = asked.recording;
  if (view.wants_page() && !asked.waits.on_off && asked.waits.min_ns == 0 && !view.time.has_value()) {
    request::Request whole = asked;
    whole.waits.on_off = true;
    return run_waits(whole, console);
  }
  if (!asked.data_file.has_value()) return record_waits(asked, console);
  auto tried = recording::OpenedRecording::open(recording_files(asked), console);
  if (!tried.has_value()) return with_program_hint(std::move(tried).error(), *asked.data_file, "wperf waits");
  const recording::OpenedRecording opened = std::move(tried).value();
  show::ReportOptions options = report_options(asked, console);
  WPERF_TRY(const auto recording, show::read_switches(opened, options.file));
  WPERF_CHECK_OK(show::show_waits(*recording, wait_options(asked, options), options, console));
  return 0;
}

}  // namespace wperf::commands
