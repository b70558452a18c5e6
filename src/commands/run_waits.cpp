// SPDX-License-Identifier: BSD-3-Clause
// `waits`: a recording of switches, made now or before, and what it says of threads that did not run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "commands/commands.h"
#include "commands/opened_recording.h"
#include "commands/recording_choice.h"
#include "commands/run_report.h"
#include "commands/wait_report_builder.h"
#include "device/linux_facts.h"
#include "measure/machine.h"
#include "measure/recording_run.h"
#include "measure/tool.h"
#include "os/mapped_file.h"
#include "output/outputs.h"
#include "report/waits_report.h"

namespace wperf::commands {
namespace {

constexpr std::string_view kEvents[] = {"sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new"};

// A process and all that it started.
std::set<u32> with_children(u32 process, const std::vector<std::pair<u32, u32>>& children) {
  std::multimap<u32, u32> children_of(children.begin(), children.end());
  std::set<u32> family{process};
  std::vector<u32> to_look_at{process};
  while (!to_look_at.empty()) {
    const auto [first, last] = children_of.equal_range(to_look_at.back());
    to_look_at.pop_back();
    for (auto child = first; child != last; ++child) {
      if (family.insert(child->second).second) to_look_at.push_back(child->second);
    }
  }
  return family;
}

WaitSelection selection_of(const request::Request& request, const recording::RecordedSwitches& switches) {
  const request::RecordingView& view = request.recording;
  WaitSelection selection;
  selection.processes.insert(view.pids.begin(), view.pids.end());
  selection.threads.insert(view.tids.begin(), view.tids.end());
  selection.names.insert(view.comms.begin(), view.comms.end());
  if (selection.processes.empty() && selection.threads.empty() && selection.names.empty()) {
    // A recording of a program is about that, though it tells of the whole machine.
    if (switches.program != 0) selection.processes = with_children(switches.program, switches.children);
  }
  if (view.time.has_value()) {
    selection.timeline = true;
    if (view.time->from.has_value()) selection.from = static_cast<u64>(*view.time->from * 1e9);
    if (view.time->to.has_value()) selection.to = static_cast<u64>(*view.time->to * 1e9);
  }
  return selection;
}

// A wait counts as a sample does, for as many as it has nanoseconds: so all views of samples show waits.
bool asks_for_views(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const request::SampleDisplay& display = request.sampling.display;
  return view.tree || view.callers || view.callees || view.children || view.folded || !view.sort.empty() ||
         !display.by.empty() || display.annotate || display.timeline_ms.has_value() ||
         request.sampling.records_file.has_value();
}

diag::Result<void> show_switches(const perf_data::PerfFile& file, const recording::RecordedSwitches& switches,
                                 const request::Request& request, diag::Console& console) {
  const waits::Accounting accounting = waits::account(switches.switches, switches.begin, switches.end);
  // Each switch counts for the wait that began with it.
  std::vector<u64> weights(switches.samples);
  for (const waits::Wait& wait : accounting.waits) {
    if (wait.is_known && wait.sample < weights.size()) weights[wait.sample] = std::max<u64>(wait.length(), 1);
  }
  const WaitSelection selection = selection_of(request, switches);
  if (asks_for_views(request)) {
    request::Request chosen = request;
    chosen.recording.pids.assign(selection.processes.begin(), selection.processes.end());
    chosen.recording.relative = true;
    return report_weighted(file, {.event = "wait (ns)", .weights = weights}, chosen, console);
  }
  recording::WantedDetail wanted = recording::wanted_detail(request);
  wanted.callers = wanted.rows = true;
  wanted.weights = &weights;
  WPERF_TRY(const recording::RecordedSamples recorded, read_named_samples(file, request, wanted, console));
  waits::WaitReport report = build_wait_report(accounting, switches, recorded, selection);
  report.file = request.data_file.value_or("");
  report.lost_records = recorded.profile.losses.lost_records + recorded.profile.losses.lost_samples;
  report.has_wakeups = switches.has_wakeups;
  report.has_stacks = switches.has_stacks;
  report.has_other_samples = switches.has_other_samples;
  const usize width = console.animated() ? console.width() : 0;
  if (!output::silent(request.outputs)) {
    console.out(report::waits_text(report, request.sampling.display.rows, width));
  }
  if (!output::wants_json(request.outputs)) return {};
  return output::deliver_json(request.outputs, report::waits_json(report), console);
}

diag::Result<void> show_waits(const perf_data::PerfFile& file, const request::Request& request,
                              diag::Console& console) {
  auto read = recording::read_switches(file);
  if (!read.has_value()) return in_file(request.data_file.value_or("the recording"), std::move(read).error());
  return show_switches(file, read.value(), request, console);
}

diag::Result<void> show_trace_waits(const etl::TraceFile& trace, const request::Request& request,
                                    diag::Console& console) {
  auto converted = recording::recording_of_trace(trace, measure::tool_version(), recording::TraceSwitches::wanted);
  if (!converted.has_value()) return in_file(*request.data_file, std::move(converted).error());
  const recording::TraceRecording& recorded = converted.value();
  tell_trace_losses(trace.header(), recorded, console);
  if (recorded.switches.switches.empty()) {
    return diag::Error{
        .text = fmt::format("{} does not say when threads ran and waited: {}", *request.data_file,
                            recorded.has_compact_switches
                                ? "its context switches are in the compact form, which Microsoft has not described"
                                : "context switches were not on while it was recorded"),
        .hint = "record with the context switch and dispatcher providers, as `wpr -start CPU` does"};
  }
  if (recorded.has_compact_switches) {
    console.warn("warning: some context switches are in the compact form, which cannot be read: times are incomplete");
  }
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(recorded.file.openable_path()));
  WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(mapped.bytes()));
  return show_switches(file, recorded.switches, request, console);
}

// As `record` does, of what the scheduler does on the whole machine: who wakes a thread may be anybody.
diag::Result<int> record_waits(const request::Request& asked, diag::Console& console) {
  request::Request request = measure::with_kept_file(asked);
  request.command = request::Command::record;
  request.kernel = true;
  for (const std::string_view name : kEvents) {
    request.sampling.events.push_back({.text = std::string(name), .number = {}, .interval = 1, .interval_error = {}});
  }
  request.sampling.whole_machine = true;
  if (!request.sampling.call_stacks.wanted()) {
    // Of every switch of the machine there is a copy: half as long as those of samples are.
    request.sampling.call_stacks = request::automatic_stacks();
    request.sampling.call_stacks.stack_bytes = request::kDefaultStackBytes;
  }
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  if (machine.capabilities.kernel == nullptr) {
    return diag::Error{.text = "waits are recorded on the linux device only; elsewhere a recording is read",
                       .hint = "`wperf waits FILE` reads a perf.data file with switches, or an .etl trace",
                       .code = diag::ExitCode::usage};
  }
  device::mount_tracefs();
  WPERF_TRY(const measure::Recording recording, measure::record_samples(request, machine, console));
  request.command = request::Command::waits;
  if (const std::string kept = measure::kept_recording(request); !kept.empty()) request.data_file = kept;
  WPERF_CHECK_OK(show_waits(recording.file, request, console));
  return measure::status_of_recording(request, machine, recording);
}

}  // namespace

diag::Result<int> run_waits(const request::Request& asked, diag::Console& console) {
  if (!asked.data_file.has_value()) return record_waits(asked, console);
  WPERF_CHECK_OK(use_recording(
      asked, console,
      {.of_perf = [&](const perf_data::PerfFile& file) { return show_waits(file, asked, console); },
       .of_trace = [&](const etl::TraceFile& trace) { return show_trace_waits(trace, asked, console); }}));
  return 0;
}

}  // namespace wperf::commands
