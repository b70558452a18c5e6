// SPDX-License-Identifier: BSD-3-Clause
// `waits`: a recording of switches, made now or before, and the account of threads that did not run.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/opened_recording.h"
#include "analysis/recording/trace_recording.h"
#include "analysis/waits/on_off_profile.h"
#include "analysis/waits/wait_report_builder.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/measure_options_builder.h"
#include "app/commands/outputs_told.h"
#include "app/commands/read_options.h"
#include "app/commands/recording_choice.h"
#include "app/commands/run_report.h"
#include "app/commands/timed_samples.h"
#include "app/commands/trace_losses.h"
#include "app/commands/wait_rights.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "code/modules/symbol_folders.h"
#include "ground/os/mapped_file.h"
#include "ground/os/process.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/plan/kernel_words.h"
#include "model/readings/samples.h"
#include "views/report/waits_report.h"

namespace wperf::commands {
namespace {

constexpr std::string_view kEvents[] = {"sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new"};
constexpr u32 kRunningIntervalNs = 1'000'000;  // of samples that show where threads run

waits::WaitSelection selection_of(const request::Request& request, const recording::RecordedSwitches& switches) {
  const request::RecordingView& view = request.recording;
  waits::WaitSelection selection;
  selection.processes.insert(view.pids.begin(), view.pids.end());
  selection.threads.insert(view.tids.begin(), view.tids.end());
  selection.names.insert(view.comms.begin(), view.comms.end());
  if (selection.processes.empty() && selection.threads.empty() && selection.names.empty()) {
    // A recording of a program is about that program, though it covers the whole machine.
    if (switches.program != 0) selection.processes = readings::with_children(switches.program, switches.children);
  }
  selection.critical_path = request.waits.critical_path;
  selection.min_ns = request.waits.min_ns;
  if (view.time.has_value()) {
    selection.timeline = true;
    if (view.time->from.has_value()) selection.from = static_cast<u64>(*view.time->from * 1e9);
    if (view.time->to.has_value()) selection.to = static_cast<u64>(*view.time->to * 1e9);
  }
  return selection;
}

// A wait is turned into a sample with a weight of its nanoseconds, so all views of samples can show waits.
bool asks_for_views(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const request::SampleDisplay& display = request.sampling.display;
  return view.tree || view.callers || view.callees || view.children || view.folded || !view.sort.empty() ||
         !view.modules.empty() || display.symbol.has_value() || view.wants_page() || !display.by.empty() ||
         display.annotate || display.timeline_ms.has_value() || request.sampling.records_file.has_value();
}

// By sample of the recording: a switch counts for the wait that began with it.
std::vector<u64> wait_weights(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                              const std::vector<bool>& chosen, const request::Request& request,
                              diag::Console& console) {
  std::vector<u64> weights(switches.samples);
  u64 left_out = 0, time_left_out = 0;
  for (const waits::Wait& wait : accounting.waits) {
    if (!chosen[wait.thread] || !wait.is_known || wait.sample >= weights.size()) continue;
    if (wait.length() < request.waits.min_ns) {
      ++left_out;
      time_left_out += wait.length();
      continue;
    }
    weights[wait.sample] = std::max<u64>(wait.length(), 1);
  }
  if (left_out != 0) console.warn("note: " + report::left_out_text({request.waits.min_ns, left_out, time_left_out}));
  return weights;
}

// The total that the waits of the chosen threads refer to.
std::string whole_of(const std::vector<bool>& chosen, const request::Request& request) {
  const auto number = std::count(chosen.begin(), chosen.end(), true);
  const bool are_all = number == std::ssize(chosen);
  return fmt::format("the waits of {}{} thread{}{}", are_all ? "all " : "", number, number == 1 ? "" : "s",
                     request.waits.min_ns != 0 ? ", without the waits that are not listed" : "");
}

// The samples that the tables name: where threads waited, and where the threads that woke them were.
std::vector<u64> named_samples(const recording::RecordedSwitches& switches, const waits::Accounting& accounting,
                               const waits::WaitSelection& selection, const std::vector<bool>& chosen) {
  // The critical path may lead to all threads.
  if (selection.critical_path) return std::vector<u64>(switches.samples, 1);
  std::vector<u64> weights(switches.samples);
  for (const waits::Wait& wait : accounting.waits) {
    if (!chosen[wait.thread]) continue;
    for (const u32 sample : {wait.sample, wait.wake_sample}) {
      if (sample < weights.size()) weights[sample] = 1;
    }
  }
  return weights;
}

// Reports the limits of the tables.
void add_facts(const recording::RecordedSwitches& switches, const stacks::StackLosses& losses,
               const request::Request& request, const stacks::TraceFacts* trace, waits::WaitReport& report) {
  if (request.data_file_is_kept) report.file = request.data_file.value_or("");
  report.lost_records = losses.lost_records + losses.lost_samples;
  if (trace != nullptr) {
    report.lost_events = trace->events_lost;
    report.lost_buffers = std::max(trace->buffers_lost, trace->missing_buffers);
    report.is_damaged = trace->cut_buffers + trace->damaged_buffers + trace->flagged_buffers != 0;
  }
  report.has_wakeups = switches.has_wakeups;
  report.has_stacks = switches.has_stacks;
  report.has_other_samples = switches.has_other_samples;
  report.has_interrupts = !switches.interrupts.empty();
  report.of_whole_cores = switches.of_whole_cores;
}

waits::WaitLocks locks_of(const perf_data::PerfFile& file, const waits::Accounting& accounting,
                          const recording::RecordedSwitches& switches, const waits::WaitSelection& selection,
                          waits::WaitNames& names, const request::Request& request) {
  const modules::ElfSearch search{.folders = modules::symbol_folders(request), .lines = false};
  return waits::WaitLocks(file, accounting, switches, waits::chosen_threads(accounting, switches, selection), names,
                          search, request.sampling.display.decorated_names);
}

// Each thread has a row in each slice, so with many threads slices are longer.
u64 slice_length(const waits::Accounting& accounting) {
  constexpr u64 kMostRows = 1'000'000;
  return std::max(request::kPageSliceNs, (accounting.end - accounting.begin) / kMostRows * accounting.threads.size());
}

// Where threads were all of the time.
diag::Result<void> show_on_off(const perf_data::PerfFile& file, const recording::RecordedSwitches& switches,
                               const waits::Accounting& accounting, const waits::WaitSelection& selection,
                               const request::Request& request, const stacks::TraceFacts* trace,
                               diag::Console& console) {
  if (request.waits.min_ns != 0 || request.recording.time.has_value()) {
    return diag::Error{.text = "--on-off shows all of the time; it cannot be combined with --min and --time",
                       .hint = "leave out --on-off; --tree then shows only waits",
                       .code = diag::ExitCode::usage};
  }
  const std::vector<u64> all(switches.samples, 1);
  recording::ReadOptions wanted = read_options(request);
  wanted.callers = wanted.rows = true;
  wanted.weights = &all;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, request, wanted, console));
  std::optional<html::WaitsOfPage> page;
  waits::OnOffSlices sliced;
  if (request.recording.html_file.has_value()) {
    waits::WaitNames names(switches, recorded);
    const waits::WaitLocks locks = locks_of(file, accounting, switches, selection, names, request);
    page.emplace(waits::build_wait_report(accounting, switches, names, locks, selection),
                 waits::make_wait_moments(accounting, switches, names, locks, selection));
    add_facts(switches, recorded.profile.losses, request, trace, page->report);
    sliced = {slice_length(accounting), &page->moments};
    add_thread_states(accounting, switches, waits::chosen_threads(accounting, switches, selection), recorded, true);
    // Their nodes belong to a tree that the next line replaces.
    for (stacks::ThreadState& state : recorded.moments.states) state.node = stacks::kNothing;
  }
  waits::make_on_off_profile(accounting, switches, selection, recorded, sliced);
  if (switches.running_samples.empty()) {
    console.warn(
        "note: no samples were recorded, so it is unknown where threads ran; `wperf waits --on-off -- PROGRAM` records "
        "samples");
  }
  request::Request chosen = request;
  request::RecordingView& view = chosen.recording;
  if (!view.folded && !view.callers && !view.callees) view.tree = true;
  view.relative = true;
  return report_profile(file, std::move(recorded), chosen, console, page.has_value() ? &*page : nullptr);
}

diag::Result<void> show_switches(const perf_data::PerfFile& file, const recording::RecordedSwitches& switches,
                                 const request::Request& request, diag::Console& console,
                                 const stacks::TraceFacts* trace = nullptr) {
  const waits::Accounting accounting =
      waits::account(switches.switches, switches.unrecorded, switches.begin, switches.end);
  const waits::WaitSelection selection = selection_of(request, switches);
  if (request.waits.on_off) return show_on_off(file, switches, accounting, selection, request, trace, console);
  const std::vector<bool> chosen = waits::chosen_threads(accounting, switches, selection);
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end() && !chosen.empty()) {
    return diag::Error{.text = "no context switch was recorded for the threads chosen by --pid, --tid and --comm",
                       .hint = "leave them out to list all threads"};
  }
  if (asks_for_views(request)) {
    const std::vector<u64> weights = wait_weights(accounting, switches, chosen, request, console);
    return report_weighted(file,
                           {.event = "wait (ns)",
                            .things = stacks::kWaits,
                            .whole = whole_of(chosen, request),
                            .weights = weights,
                            .time_origin = switches.begin},
                           request, console);
  }
  const std::vector<u64> named = named_samples(switches, accounting, selection, chosen);
  recording::ReadOptions wanted = read_options(request);
  wanted.callers = wanted.rows = true;
  wanted.weights = &named;
  // A wait in the shown stretch of time may begin before it, and end after it.
  wanted.time.reset();
  WPERF_TRY(const recording::RecordedSamples recorded, read_named_samples(file, request, wanted, console));
  waits::WaitNames names(switches, recorded);
  const waits::WaitLocks locks = locks_of(file, accounting, switches, selection, names, request);
  waits::WaitReport report = waits::build_wait_report(accounting, switches, names, locks, selection);
  if (selection.critical_path && !report.path.has_value()) {
    const std::vector<u32>& tids = request.recording.tids;
    return diag::Error{
        .text = tids.empty() ? "no critical path: the recording has no thread to start at"
                             : fmt::format("no critical path: the recording has no thread {}", fmt::join(tids, ", ")),
        .hint = {}};
  }
  add_facts(switches, recorded.profile.losses, request, trace, report);
  const usize width = console.animated() ? console.width() : 0;
  // A trace does not say when the program began.
  const stacks::RecordingAbout* about = trace == nullptr ? &recorded.about : nullptr;
  if (!output::silent(request.outputs)) {
    console.out(report::waits_text(
        report,
        {.rows = request.sampling.display.rows, .width = width, .about = about, .preempted = request.outputs.verbose}));
  }
  if (!output::wants_json(request.outputs)) return {};
  return output::deliver_json(request.outputs, report::waits_json(report, trace, about), console);
}

diag::Result<void> show_waits(const perf_data::PerfFile& file, const request::Request& request,
                              diag::Console& console) {
  auto read = recording::read_switches(file);
  if (!read.has_value())
    return recording::in_file(request.data_file.value_or("the recording"), std::move(read).error());
  return show_switches(file, read.value(), request, console);
}

// `program`: the process that it was recorded for; 0: for all.
diag::Result<void> show_trace_waits(const etl::Trace& trace, const request::Request& request, u32 program,
                                    diag::Console& console) {
  auto converted = recording::recording_of_trace(trace, measure::tool_version(), {.switches = true});
  if (!converted.has_value()) return recording::in_file(*request.data_file, std::move(converted).error());
  recording::TraceRecording& recorded = converted.value();
  recorded.switches.program = program;
  stacks::TraceFacts facts = recording::trace_facts(trace, recorded);
  add_lost_over_time(recorded.lost_over_time, facts);
  tell_trace_losses(facts, request, console);
  if (recorded.switches.switches.empty()) {
    return diag::Error{
        .text = fmt::format("{} does not contain when threads ran and waited: {}", *request.data_file,
                            recorded.has_compact_switches
                                ? "its context switches are in the compact format, which Microsoft has not documented"
                                : "context switches were not enabled while it was recorded"),
        .hint = "record with the context switch and dispatcher providers, as `wpr -start CPU` does"};
  }
  if (recorded.has_compact_switches) {
    console.warn(
        "warning: some context switches are in the compact format, which wperf cannot read; times are incomplete");
  }
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(recorded.file.openable_path()));
  WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(mapped.bytes()));
  return show_switches(file, recorded.switches, request, console, &facts);
}

// May the scheduler's tracepoints be recorded?
bool has_tracepoints() {
  linux_kernel::mount_tracefs();
  const std::optional<linux_kernel::LinuxFacts> facts = linux_kernel::linux_facts();
  return facts.has_value() && facts->scheduler;
}

void add_event(request::Request& request, std::string_view name, std::optional<u32> interval) {
  request.sampling.events.push_back(
      {.text = std::string(name), .number = {}, .interval = interval, .interval_error = {}});
}

// Without these rights: switches of the user's own programs, with stacks if the kernel may be looked at.
diag::Result<void> plan_own_switches(request::Request& request, diag::Console& console) {
  const std::optional<linux_kernel::LinuxFacts> facts = linux_kernel::linux_facts();
  if (facts.has_value()) WPERF_CHECK_OK(check_own_switches(*facts, request));
  const bool all = facts.has_value() && facts->whole_cores;
  request.kernel = all || (facts.has_value() && facts->own_kernel);
  request.sampling.whole_machine = all;
  const char* const event = request.kernel ? "context-switches" : "dummy";
  add_event(request, event, 1);
  console.warn(
      "note: the scheduler's tracepoints may not be read here, so it is not recorded which thread ended a wait");
  if (!request.kernel) {
    console.warn(
        "note: where threads waited is not recorded either; stacks of context switches need kernel.perf_event_paranoid "
        "at 1 or below");
  }
  return {};
}

// Windows records the whole machine by itself, with stacks.
void plan_trace(request::Request& request) {
  request.sampling.events.clear();
  add_event(request, plan::kSchedulerEvent, 1);
  if (request.waits.on_off) add_event(request, "timer", kRunningIntervalNs);
}

diag::Result<void> plan_recording(request::Request& request, diag::Console& console) {
  request.kernel = true;
  if (has_tracepoints()) {
    // Like `record`, for the scheduler of the whole machine: any thread may wake another one.
    for (const std::string_view name : kEvents) add_event(request, name, 1);
    request.sampling.whole_machine = true;
  } else {
    WPERF_CHECK_OK(plan_own_switches(request, console));
  }
  if (request.waits.on_off) add_event(request, "cpu-clock", kRunningIntervalNs);
  if (request.sampling.call_stacks.wanted()) return {};
  // Every switch of the machine has a copy of the stack, so the copies are half as long as those of samples.
  const u32 most_frames = request.sampling.call_stacks.most_frames;
  request.sampling.call_stacks = request::automatic_stacks();
  request.sampling.call_stacks.most_frames = most_frames;
  request.sampling.call_stacks.stack_bytes = request::kDefaultStackBytes;
  return {};
}

diag::Result<int> record_waits(const request::Request& asked, diag::Console& console) {
  request::Request request = with_kept_file(asked);
  request.command = request::Command::record;
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  if (machine.capabilities.kernel == nullptr) {
    return diag::Error{
        .text = "a driver cannot see why threads wait; waits needs the linux or etw device",
        .hint = "to read a perf.data file with context switches or an .etl trace, use `wperf waits FILE`",
        .code = diag::ExitCode::usage};
  }
  const bool is_trace = machine.capabilities.kernel->is_windows();
  if (is_trace) {
    plan_trace(request);
  } else {
    WPERF_CHECK_OK(plan_recording(request, console));
  }
  WPERF_TRY(const measure::Recording recording, measure::record_samples(measure_options(request), machine, console));
  request.command = request::Command::waits;
  if (is_trace) {
    const u32 program = request.sampling.whole_machine ? 0 : recording.sampled.pid;
    request.data_file = recording.trace;
    request.data_file_is_kept = !kept_recording(request).empty();
    WPERF_TRY(const auto opened, recording::OpenedRecording::open({.name = recording.trace}, console));
    WPERF_CHECK_OK(show_trace_waits(*opened.trace(), request, program, console));
    tell_written(request, console);
    tell_kept(request, recording, console);
    return measure::status_of_recording(request, machine, recording);
  }
  if (const std::string kept = kept_recording(request); !kept.empty()) request.data_file = kept;
  os::release_interrupt();
  WPERF_CHECK_OK(show_waits(recording.file, request, console));
  tell_written(request, console);
  tell_kept(request, recording, console);
  return measure::status_of_recording(request, machine, recording);
}

}  // namespace

diag::Result<int> run_waits(const request::Request& asked, diag::Console& console) {
  // A page is about all of the time, unless a part of it is asked for.
  const request::RecordingView& view = asked.recording;
  if (view.wants_page() && !asked.waits.on_off && asked.waits.min_ns == 0 && !view.time.has_value()) {
    request::Request whole = asked;
    whole.waits.on_off = true;
    return run_waits(whole, console);
  }
  if (!asked.data_file.has_value()) return record_waits(asked, console);
  WPERF_TRY(const auto opened, recording::OpenedRecording::open(recording_files(asked), console));
  if (opened.perf() != nullptr) {
    WPERF_CHECK_OK(show_waits(*opened.perf(), asked, console));
  } else if (opened.trace() != nullptr) {
    WPERF_CHECK_OK(show_trace_waits(*opened.trace(), asked, 0, console));
  } else {
    return opened.refuse_profile();
  }
  return 0;
}

}  // namespace wperf::commands
