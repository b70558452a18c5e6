// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/wait_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "analysis/recording/sampled_recording.h"
#include "analysis/waits/on_off_profile.h"
#include "analysis/waits/wait_moments.h"
#include "analysis/waits/wait_report_builder.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/recording_views.h"
#include "app/show/sample_views.h"
#include "code/modules/symbol_folders.h"
#include "model/readings/samples.h"
#include "views/report/waits_report.h"

namespace wperf::show {
namespace {

// The activity of the threads of a recording.
struct ThreadActivity {
  const recording::SampledRecording& source;
  const recording::RecordedSwitches& switches;
  waits::WaitSelection selection;
  waits::Accounting accounting;
  std::vector<bool> chosen;  // by thread of the accounting
};

ThreadActivity account_of(const recording::SampledRecording& source, const recording::RecordedSwitches& switches,
                          const WaitOptions& waits) {
  waits::WaitSelection selection = waits.chosen;
  const bool chooses = !selection.processes.empty() || !selection.threads.empty() || !selection.names.empty();
  // A recording of a program is about that program, even if it covers the whole machine.
  if (!chooses && switches.program != 0) {
    selection.processes = readings::with_children(switches.program, switches.children);
  }
  waits::Accounting accounting = waits::account(switches.switches, switches.unrecorded, switches.begin, switches.end);
  std::vector<bool> chosen = waits::chosen_threads(accounting, switches, selection);
  return {.source = source,
          .switches = switches,
          .selection = std::move(selection),
          .accounting = std::move(accounting),
          .chosen = std::move(chosen)};
}

// By sample of the recording: a switch is weighted by the wait that began with it.
std::vector<u64> wait_weights(const ThreadActivity& account, diag::Console& console) {
  const u64 min_ns = account.selection.min_ns;
  std::vector<u64> weights(account.switches.samples);
  u64 left_out = 0, time_left_out = 0;
  for (const waits::Wait& wait : account.accounting.waits) {
    if (!account.chosen[wait.thread] || !wait.is_known || wait.sample >= weights.size()) continue;
    if (wait.length() < min_ns) {
      ++left_out;
      time_left_out += wait.length();
      continue;
    }
    weights[wait.sample] = std::max<u64>(wait.length(), 1);
  }
  if (left_out != 0) console.warn("note: " + report::left_out_text({min_ns, left_out, time_left_out}));
  return weights;
}

// The name of the total in which the chosen threads' waits have a share.
std::string whole_of(const ThreadActivity& account) {
  const std::vector<bool>& chosen = account.chosen;
  const auto number = std::count(chosen.begin(), chosen.end(), true);
  const bool are_all = number == std::ssize(chosen);
  return fmt::format("the waits of {}{} thread{}{}", are_all ? "all " : "", number, number == 1 ? "" : "s",
                     account.selection.min_ns != 0 ? ", without the waits that are not listed" : "");
}

// The samples to be named for the tables: where threads waited, and where the threads that woke them were.
std::vector<u64> named_samples(const ThreadActivity& account) {
  const u64 samples = account.switches.samples;
  // The critical path may include any thread.
  if (account.selection.critical_path) return std::vector<u64>(samples, 1);
  std::vector<u64> weights(samples);
  for (const waits::Wait& wait : account.accounting.waits) {
    if (!account.chosen[wait.thread]) continue;
    for (const u32 sample : {wait.sample, wait.wake_sample}) {
      if (sample < weights.size()) weights[sample] = 1;
    }
  }
  return weights;
}

// Adds the facts about the recording that limit the tables.
void add_facts(const ThreadActivity& account, const stacks::StackLosses& losses, const ReportOptions& options,
               waits::WaitReport& report) {
  report.file = options.read.file;
  report.lost_records = losses.lost_records + losses.lost_samples;
  if (const stacks::TraceFacts* trace = account.source.trace_facts(); trace != nullptr) {
    report.lost_events = trace->events_lost;
    report.lost_buffers = std::max(trace->buffers_lost, trace->missing_buffers);
    report.is_damaged = trace->cut_buffers + trace->damaged_buffers + trace->flagged_buffers != 0;
  }
  const recording::RecordedSwitches& switches = account.switches;
  report.has_wakeups = switches.has_wakeups;
  report.has_stacks = switches.has_stacks;
  report.has_other_samples = switches.has_other_samples;
  report.has_interrupts = !switches.interrupts.empty();
  report.of_whole_cores = switches.of_whole_cores;
}

waits::WaitLocks locks_of(const ThreadActivity& account, waits::WaitNames& names, const ReportOptions& options) {
  const modules::ElfSearch search{.folders = modules::symbol_folders(options.read.symbols.symbol_path), .lines = false};
  return waits::WaitLocks(account.source.file(), {account.accounting, account.switches, account.chosen}, names, search,
                          options.display.decorated_names);
}

// Each thread has a row in each slice, so slices are longer if there are many threads.
u64 slice_length(const waits::Accounting& accounting) {
  constexpr u64 kMostRows = 1'000'000;
  return std::max(request::kPageSliceNs, (accounting.end - accounting.begin) / kMostRows * accounting.threads.size());
}

// For a page: the tables of waits, and each wait.
html::WaitsOfPage waits_of_page(const ThreadActivity& account, recording::RecordedSamples& recorded,
                                const ReportOptions& options) {
  const auto& [source, switches, selection, accounting, chosen] = account;
  waits::WaitNames names(switches, recorded);
  const waits::WaitLocks locks = locks_of(account, names, options);
  html::WaitsOfPage page{waits::build_wait_report(accounting, switches, names, locks, selection),
                         waits::make_wait_moments(accounting, switches, names, locks, selection)};
  add_facts(account, recorded.profile.losses, options, page.report);
  add_thread_states(accounting, switches, chosen, recorded, true);
  // The nodes of the states refer to a tree that is replaced by the profile of the threads' time.
  for (stacks::ThreadState& state : recorded.moments.states) state.node = stacks::kNothing;
  return page;
}

// Shows where threads were, running and waiting.
diag::Result<void> show_on_off(const ThreadActivity& account, const ReportOptions& options, diag::Console& console) {
  if (account.selection.min_ns != 0 || options.read.time.has_value()) {
    return diag::Error{.text = "--on-off shows all of the time; it cannot be combined with --min and --time",
                       .hint = "leave out --on-off; --tree then shows only waits",
                       .code = diag::ExitCode::usage};
  }
  const std::vector<u64> all(account.switches.samples, 1);
  recording::ReadOptions wanted = options.read;
  wanted.callers = wanted.rows = true;
  wanted.weights = &all;
  const perf_data::PerfFile& file = account.source.file();
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  std::optional<html::WaitsOfPage> page;
  waits::OnOffSlices sliced;
  if (options.pages.html_file.has_value()) {
    page.emplace(waits_of_page(account, recorded, options));
    sliced = {slice_length(account.accounting), &page->moments};
  }
  waits::make_on_off_profile(account.accounting, account.switches, account.selection, recorded, sliced);
  if (account.switches.running_samples.empty()) {
    console.warn(
        "note: no samples were recorded, so it is unknown where threads ran; `wperf waits --on-off -- PROGRAM` records "
        "samples");
  }
  return show_named({.file = file, .recorded = std::move(recorded), .waits = page.has_value() ? &*page : nullptr},
                    options, console);
}

diag::Result<void> show_tables(const ThreadActivity& account, const ReportOptions& options, diag::Console& console) {
  const std::vector<u64> named = named_samples(account);
  recording::ReadOptions wanted = options.read;
  wanted.callers = wanted.rows = true;
  wanted.weights = &named;
  // A wait in the selected period may begin before it, and end after it.
  wanted.time.reset();
  WPERF_TRY(const recording::RecordedSamples recorded,
            read_named_samples(account.source.file(), wanted, options.naming, console));
  waits::WaitNames names(account.switches, recorded);
  const waits::WaitLocks locks = locks_of(account, names, options);
  waits::WaitReport report =
      waits::build_wait_report(account.accounting, account.switches, names, locks, account.selection);
  if (account.selection.critical_path && !report.path.has_value()) {
    const std::vector<u32>& tids = options.tables.filter.tids;
    return diag::Error{
        .text = tids.empty() ? "no critical path: the recording has no thread to start at"
                             : fmt::format("no critical path: the recording has no thread {}", fmt::join(tids, ", ")),
        .hint = {}};
  }
  add_facts(account, recorded.profile.losses, options, report);
  const stacks::TraceFacts* trace = account.source.trace_facts();
  // A trace does not have the start time of the program.
  const stacks::RecordingAbout* about = trace == nullptr ? &recorded.about : nullptr;
  if (!output::silent(options.outputs)) {
    console.out(report::waits_text(report, {.rows = options.tables.rows,
                                            .width = options.tables.width,
                                            .about = about,
                                            .preempted = options.outputs.verbose}));
  }
  if (options.brief.has_value())
    output::deliver_brief(options.outputs, brief::of_waits(report, about, *options.brief), console);
  if (!output::wants_json(options.outputs)) return {};
  return output::deliver_json(options.outputs, report::waits_json(report, trace, about), console);
}

diag::Result<void> show_switches(const recording::SampledRecording& source, const recording::RecordedSwitches& switches,
                                 const WaitOptions& waits, const ReportOptions& options, diag::Console& console) {
  const ThreadActivity account = account_of(source, switches, waits);
  if (waits.on_off) return show_on_off(account, options, console);
  const std::vector<bool>& chosen = account.chosen;
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end() && !chosen.empty()) {
    return diag::Error{.text = "no context switch was recorded for the threads chosen by --pid, --tid and --comm",
                       .hint = "leave them out to list all threads"};
  }
  if (!waits.as_samples) return show_tables(account, options, console);
  const std::vector<u64> weights = wait_weights(account, console);
  return show_weighted(source.file(),
                       {.event = "wait (ns)",
                        .things = stacks::kWaits,
                        .whole = whole_of(account),
                        .weights = weights,
                        .time_origin = switches.begin},
                       options, console);
}

diag::Result<void> show_file_waits(const perf_data::PerfFile& file, const WaitOptions& waits,
                                   const ReportOptions& options, diag::Console& console) {
  const recording::SampledRecording source(file);
  const auto switches = source.switches();
  if (!switches.has_value())
    return recording::with_file_name(options.file.empty() ? "the recording" : options.file, switches.error());
  return show_switches(source, *switches.value(), waits, options, console);
}

diag::Result<void> show_trace_waits(const etl::Trace& trace, const WaitOptions& waits, const ReportOptions& options,
                                    diag::Console& console) {
  WPERF_TRY(recording::ConvertedTrace converted,
            recording::convert_trace(trace, measure::tool_version(), {.switches = true}, options.file));
  recording::TraceRecording& made = converted.recording;
  made.switches.program = waits.program;
  warn_of_trace_losses(converted.facts, options, console);
  if (made.switches.switches.empty()) {
    return diag::Error{
        .text = fmt::format("{} does not contain when threads ran and waited: {}", options.file,
                            made.has_compact_switches
                                ? "its context switches are in the compact format, which Microsoft has not documented"
                                : "context switches were not enabled while it was recorded"),
        .hint = "record with the context switch and dispatcher providers, as `wpr -start CPU` does"};
  }
  if (made.has_compact_switches) {
    console.warn(
        "warning: some context switches are in the compact format, which wperf cannot read; times are incomplete");
  }
  const recording::SampledRecording source(std::move(converted));
  WPERF_TRY(const recording::RecordedSwitches* const switches, source.switches());
  return show_switches(source, *switches, waits, options, console);
}

}  // namespace

diag::Result<void> show_waits(const recording::OpenedRecording& opened, const WaitOptions& waits,
                              const ReportOptions& options, diag::Console& console) {
  if (opened.perf() != nullptr) return show_file_waits(*opened.perf(), waits, options, console);
  if (opened.trace() != nullptr) return show_trace_waits(*opened.trace(), waits, options, console);
  return opened.refuse_profile();
}

diag::Result<void> show_waits(const measure::Recording& made, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console) {
  if (made.trace.empty()) return show_file_waits(made.file, waits, options, console);
  WPERF_TRY(const auto opened, recording::OpenedRecording::open({.name = made.trace}, console));
  return show_waits(opened, waits, options, console);
}

}  // namespace wperf::show
