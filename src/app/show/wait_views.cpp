// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/wait_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "analysis/recording/sampled_recording.h"
#include "analysis/waits/on_off_profile.h"
#include "analysis/waits/thread_states.h"
#include "analysis/waits/time_part.h"
#include "analysis/waits/wait_moments.h"
#include "analysis/waits/wait_report_builder.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/sample_views.h"
#include "app/show/trace_views.h"
#include "code/modules/symbol_folders.h"
#include "ground/text/parts.h"
#include "model/readings/samples.h"
#include "views/report/waits_report.h"

namespace wperf::show {

struct NamedWaits {
  NamedWaits(const SwitchRecording& recording, const std::vector<bool>& chosen, recording::RecordedSamples samples,
             const ReportOptions& options)
      : recorded(std::move(samples)),
        names(recording.switches, recorded, recording.accounting),
        locks(recording.source.file(), {recording.accounting, recording.switches, chosen}, names,
              {.folders = modules::symbol_folders(options.read.symbols.symbol_path), .lines = false},
              options.display.decorated_names) {}

  recording::RecordedSamples recorded;
  waits::WaitNames names;
  waits::WaitLocks locks;
  std::optional<waits::WaitSums> sums = {};  // sums of all threads, if these are kept
};

namespace {

// The threads that were chosen for a report.
struct ChosenThreads {
  const SwitchRecording& recording;
  waits::WaitSelection selection;
  std::vector<bool> chosen;                    // by thread of the accounting
  std::optional<waits::Accounting> part = {};  // only for a part of the time

  const waits::Accounting& accounting() const { return part.has_value() ? *part : recording.accounting; }
};

// The accounting for the selected time; nullopt if all time is selected.
std::optional<waits::Accounting> part_for(const SwitchRecording& recording, const waits::WaitSelection& selection) {
  if (!selection.is_part() || selection.critical_path) return std::nullopt;
  const waits::Accounting& all = recording.accounting;
  // The last event is at the end, and must belong to a part that includes the end.
  const u64 most = all.end - all.begin + 1;
  return waits::part_of(
      all, recording.switches,
      {.from = all.begin + std::min(selection.from, most), .to = all.begin + std::min(selection.to, most)});
}

ChosenThreads choose_threads(const SwitchRecording& recording, const WaitOptions& waits, bool lists_waits) {
  waits::WaitSelection selection = waits.chosen;
  const recording::RecordedSwitches& switches = recording.switches;
  const bool chooses = !selection.processes.empty() || !selection.threads.empty() || !selection.names.empty();
  // For the recording of a program, only this program is shown, even if the whole machine was recorded. For a trace,
  // all programs are shown.
  const u32 of_file = recording.source.is_trace() ? 0 : switches.program;
  const u32 program = waits.program != 0 ? waits.program : of_file;
  if (!chooses && program != 0) selection.processes = readings::with_children(program, switches.children);
  std::vector<bool> chosen = waits::chosen_threads(recording.accounting, switches, selection);
  // A time line shows one thread.
  selection.timeline = selection.timeline && std::count(chosen.begin(), chosen.end(), true) == 1;
  auto part = lists_waits ? std::nullopt : part_for(recording, selection);
  return {
      .recording = recording, .selection = std::move(selection), .chosen = std::move(chosen), .part = std::move(part)};
}

// The weight of each sample of the recording: a switch is weighted by the wait that began with it.
std::vector<u64> wait_weights(const ChosenThreads& threads, diag::Console& console) {
  const u64 min_ns = threads.selection.min_ns;
  std::vector<u64> weights(threads.recording.switches.samples);
  u64 left_out = 0, time_left_out = 0;
  for (const waits::Wait& wait : threads.accounting().waits) {
    if (!threads.chosen[wait.thread] || !wait.is_known || wait.sample >= weights.size()) continue;
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

// The name of the total of which the chosen threads' waits are a share.
std::string whole_of(const ChosenThreads& threads) {
  const std::vector<bool>& chosen = threads.chosen;
  const auto number = std::count(chosen.begin(), chosen.end(), true);
  const bool are_all = number == std::ssize(chosen);
  return fmt::format("the waits of {}{} thread{}{}{}", are_all ? "all " : "", number, number == 1 ? "" : "s",
                     threads.part.has_value() ? " in the chosen time" : "",
                     threads.selection.min_ns != 0 ? ", without the waits that are not listed" : "");
}

// The samples that must be named for the tables: where threads waited, and from where they were woken.
std::vector<u64> named_samples(const ChosenThreads& threads) {
  const u64 samples = threads.recording.switches.samples;
  // The critical path may include any thread.
  if (threads.selection.critical_path) return std::vector<u64>(samples, 1);
  std::vector<u64> weights(samples);
  for (const waits::Wait& wait : threads.recording.accounting.waits) {
    if (!threads.chosen[wait.thread]) continue;
    for (const u32 sample : {wait.sample, wait.wake_sample}) {
      if (sample < weights.size()) weights[sample] = 1;
    }
  }
  return weights;
}

// A wait in the selected period may begin before the period and end after it, so `samples` can be from any time.
diag::Result<std::shared_ptr<NamedWaits>> name_waits(const SwitchRecording& recording, const std::vector<u64>& samples,
                                                     const std::vector<bool>& chosen, const ReportOptions& options,
                                                     diag::Console& console) {
  recording::ReadOptions wanted = options.read;
  wanted.callers = wanted.rows = true;
  wanted.weights = &samples;
  wanted.time.reset();
  WPERF_TRY(recording::RecordedSamples recorded,
            read_named_samples(recording.source.file(), wanted, options.naming, console));
  return std::make_shared<NamedWaits>(recording, chosen, std::move(recorded), options);
}

// Adds the facts about the recording that limit the tables.
void add_facts(const SwitchRecording& recording, const stacks::StackProfile& profile, const ReportOptions& options,
               waits::WaitReport& report) {
  const stacks::StackLosses& losses = profile.losses;
  report.file = options.read.file;
  report.python = profile.python;
  report.lost_records = losses.lost_records + losses.lost_samples;
  if (const stacks::TraceFacts* trace = recording.source.trace_facts(); trace != nullptr) {
    report.lost_events = trace->events_lost;
    report.lost_buffers = std::max(trace->buffers_lost, trace->missing_buffers);
    report.is_damaged = trace->cut_buffers + trace->damaged_buffers + trace->flagged_buffers != 0;
  }
  const recording::RecordedSwitches& switches = recording.switches;
  report.has_wakeups = switches.has_wakeups;
  report.has_stacks = switches.has_stacks;
  report.has_other_samples = switches.has_other_samples;
  report.has_interrupts = !switches.interrupts.empty();
  report.of_whole_cores = switches.of_whole_cores;
}

// Each thread has a row in each slice, so slices are longer if there are many threads.
u64 slice_length(const waits::Accounting& accounting) {
  constexpr u64 kMostRows = 1'000'000;
  return std::max(request::kPageSliceNs, (accounting.end - accounting.begin) / kMostRows * accounting.threads.size());
}

// For a page: the tables of waits, and each wait.
html::WaitsOfPage waits_of_page(const ChosenThreads& threads, NamedWaits& named, const ReportOptions& options) {
  const recording::RecordedSwitches& switches = threads.recording.switches;
  const waits::Accounting& accounting = threads.recording.accounting;
  const waits::WaitSelection& selection = threads.selection;
  html::WaitsOfPage page{waits::build_wait_report({accounting, switches}, named.names, named.locks, selection),
                         waits::make_wait_moments(accounting, switches, named.names, named.locks, selection)};
  add_facts(threads.recording, named.recorded.profile, options, page.report);
  waits::add_thread_states(accounting, switches, threads.chosen, named.recorded, true);
  // The nodes of the states refer to the old tree, which the profile of the threads' time replaces.
  for (stacks::ThreadState& state : named.recorded.moments.states) state.node = stacks::kNothing;
  return page;
}

// Shows where threads were, running and waiting.
diag::Result<void> show_on_off(const ChosenThreads& threads, const ReportOptions& options, diag::Console& console) {
  if (threads.selection.min_ns != 0 || options.read.time.has_value()) {
    return diag::usage_error("--on-off shows all of the time; it cannot be combined with --min and --time",
                             "leave out --on-off; --tree then shows only waits");
  }
  const recording::RecordedSwitches& switches = threads.recording.switches;
  const waits::Accounting& accounting = threads.recording.accounting;
  const std::vector<u64> all(switches.samples, 1);
  WPERF_TRY(const auto named, name_waits(threads.recording, all, threads.chosen, options, console));
  std::optional<html::WaitsOfPage> page;
  waits::OnOffSlices sliced;
  if (options.pages.html_file.has_value()) {
    page.emplace(waits_of_page(threads, *named, options));
    sliced = {slice_length(accounting), &page->moments};
  }
  waits::make_on_off_profile(accounting, switches, threads.selection, named->recorded, sliced);
  if (switches.running_samples.empty()) {
    console.warn(
        "note: no samples were recorded, so it is unknown where threads ran; `wperf waits --on-off -- PROGRAM` records "
        "samples");
  }
  return show_named({.file = threads.recording.source.file(),
                     .recorded = std::move(named->recorded),
                     .waits = page.has_value() ? &*page : nullptr},
                    options, console);
}

diag::Result<void> show_tables(const ChosenThreads& threads, const ReportOptions& options, diag::Console& console) {
  std::shared_ptr<NamedWaits> named = threads.recording.named;
  if (named == nullptr) {
    WPERF_TRY(named, name_waits(threads.recording, named_samples(threads), threads.chosen, options, console));
  }
  waits::WaitSelection selection = threads.selection;
  selection.lists_steps = !output::silent(options.outputs) || output::wants_json(options.outputs);
  const bool are_kept = named->sums.has_value() && !threads.part.has_value();
  waits::WaitReport report =
      waits::build_wait_report({threads.accounting(), threads.recording.switches, are_kept ? &*named->sums : nullptr,
                                threads.recording.histories.has_value() ? &*threads.recording.histories : nullptr},
                               named->names, named->locks, selection);
  if (threads.selection.critical_path && !report.path.has_value()) {
    const std::vector<u32>& tids = options.tables.filter.tids;
    return diag::Error{.text = tids.empty() ? "no critical path: the recording has no thread to start at"
                                            : fmt::format("no critical path: the recording has no thread {}",
                                                          text::joined(tids, ", ")),
                       .hint = {}};
  }
  add_facts(threads.recording, named->recorded.profile, options, report);
  const stacks::TraceFacts* trace = threads.recording.source.trace_facts();
  // A trace does not have the start time of the program.
  const stacks::RecordingAbout* about = trace == nullptr ? &named->recorded.about : nullptr;
  return show_wait_report(report, trace, about, options, console);
}

diag::Result<std::unique_ptr<SwitchRecording>> read_file_switches(const perf_data::PerfFile& file,
                                                                  const std::string& name) {
  recording::SampledRecording source(file);
  if (const auto switches = source.switches(); !switches.has_value())
    return recording::with_file_name(name.empty() ? "the recording" : name, switches.error());
  return std::make_unique<SwitchRecording>(std::move(source));
}

diag::Result<std::unique_ptr<SwitchRecording>> read_trace_switches(const etl::Trace& trace, const std::string& name) {
  WPERF_TRY(recording::ConvertedTrace converted,
            recording::convert_trace(trace, measure::tool_version(), {.switches = true}, name));
  const bool has_compact_switches = converted.recording.has_compact_switches;
  if (converted.recording.switches.switches.empty()) {
    return diag::Error{
        .text = fmt::format("{} does not contain when threads ran and waited: {}", name,
                            has_compact_switches
                                ? "its context switches are in the compact format, which Microsoft has not documented"
                                : "context switches were not enabled while it was recorded"),
        .hint = "record with the context switch and dispatcher providers, as `wpr -start CPU` does"};
  }
  auto made = std::make_unique<SwitchRecording>(recording::SampledRecording(std::move(converted)));
  made->has_compact_switches = has_compact_switches;
  return made;
}

}  // namespace

diag::Result<void> show_wait_report(const waits::WaitReport& report, const stacks::TraceFacts* trace,
                                    const stacks::RecordingAbout* about, const ReportOptions& options,
                                    diag::Console& console) {
  if (!output::silent(options.outputs)) {
    console.out(report::waits_text(report, {.rows = options.tables.rows,
                                            .width = options.tables.width,
                                            .about = about,
                                            .verbose = options.outputs.verbose}));
  }
  if (options.brief.has_value())
    output::deliver_brief(options.outputs, brief::of_waits(report, about, *options.brief), console);
  if (!output::wants_json(options.outputs)) return {};
  return output::deliver_json(options.outputs, report::waits_json(report, trace, about), console);
}

SwitchRecording::SwitchRecording(recording::SampledRecording from)
    : source(std::move(from)),
      switches(*source.switches().value()),
      accounting(waits::account(switches.switches, switches.unrecorded, switches.begin, switches.end)) {}

diag::Result<std::unique_ptr<SwitchRecording>> read_switches(const recording::OpenedRecording& opened,
                                                             const std::string& name) {
  if (opened.perf() != nullptr) return read_file_switches(*opened.perf(), name);
  if (opened.trace() != nullptr) return read_trace_switches(*opened.trace(), name);
  return opened.refuse_profile();
}

diag::Result<void> name_all_waits(SwitchRecording& recording, const ReportOptions& options, diag::Console& console) {
  const std::vector<u64> samples(recording.switches.samples, 1);
  const std::vector<bool> threads(recording.accounting.threads.size(), true);
  WPERF_TRY(recording.named, name_waits(recording, samples, threads, options, console));
  NamedWaits& named = *recording.named;
  named.sums = waits::sum_up_waits({recording.accounting, recording.switches, threads}, {}, named.names, named.locks);
  return {};
}

void keep_histories(SwitchRecording& recording) {
  if (!recording.histories.has_value())
    recording.histories = waits::histories_of(recording.accounting, recording.switches);
}

diag::Result<void> show_waits(const SwitchRecording& recording, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console) {
  if (recording.source.is_trace()) warn_of_trace_losses(*recording.source.trace_facts(), options, console);
  if (recording.has_compact_switches) {
    console.warn(
        "warning: some context switches are in the compact format, which wperf cannot read; times are incomplete");
  }
  // --records lists complete waits that begin in the range.
  const bool lists_waits = options.records_file.has_value();
  const ChosenThreads threads = choose_threads(recording, waits, lists_waits);
  if (waits.on_off) return show_on_off(threads, options, console);
  const std::vector<bool>& chosen = threads.chosen;
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end() && !chosen.empty()) {
    return diag::Error{.text = "no context switch was recorded for the threads chosen by --pid, --tid and --comm",
                       .hint = "leave them out to list all threads"};
  }
  if (!waits.as_samples) return show_tables(threads, options, console);
  std::vector<u64> weights = wait_weights(threads, console);
  // The weights already cover only the range, and waits in the range may have begun earlier, so samples are not
  // filtered by time.
  ReportOptions of_weights = options;
  if (threads.part.has_value()) of_weights.read.time.reset();
  return show_weighted(recording.source.file(),
                       {.event = "wait (ns)",
                        .things = stacks::kWaits,
                        .whole = whole_of(threads),
                        .weights = std::move(weights),
                        .time_origin = recording.switches.begin,
                        .in_folded = true},
                       of_weights, console);
}

diag::Result<void> show_waits(const measure::Recording& made, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console) {
  if (made.trace.empty()) {
    WPERF_TRY(const auto recording, read_file_switches(made.file, options.file));
    return show_waits(*recording, waits, options, console);
  }
  WPERF_TRY(const auto opened, recording::OpenedRecording::open({.name = made.trace}, console));
  WPERF_TRY(const auto recording, read_switches(opened, options.file));
  return show_waits(*recording, waits, options, console);
}

}  // namespace wperf::show
