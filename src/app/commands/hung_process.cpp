// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/hung_process.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/recording/recorded_about.h"
#include "analysis/recording/sampled_recording.h"
#include "formats/perf_data/run_facts.h"
#include "formats/perf_data/visit.h"

namespace wperf::commands {
namespace {

using linux_kernel::ThreadNow;
using waits::WaitClass;

bool has_losses(const perf_data::PerfFile& file) {
  bool found = false;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::Lost&, const perf_data::Record&) { found = true; }});
  return found;
}

// The threads in switches and wake-ups; nullopt if the switches cannot be read.
std::optional<std::set<u32>> switched_threads(const perf_data::PerfFile& file) {
  const recording::SampledRecording source(file);
  const auto switches = source.switches();
  std::set<u32> threads;
  if (!switches.has_value()) {
    if (switches.error().code == diag::ExitCode::damaged_input) return std::nullopt;
    return threads;
  }
  for (const stacks::Switch& one : switches.value()->switches) threads.insert({one.leaves, one.comes});
  return threads;
}

bool is_running(const ThreadNow& thread) {
  return thread.state == 'R';
}

std::string_view state_text(char state) {
  switch (state) {
    case 'R':
      return "running or ready";
    case 'S':
      return "sleeping";
    case 'D':
      return "sleeping, not interruptible";
    case 'T':
      return "stopped";
    case 't':
      return "stopped by a debugger";
    case 'Z':
    case 'X':
      return "ended";
    default:
      return "other";
  }
}

WaitClass class_of(const ThreadNow& thread) {
  waits::StackClass stack;
  for (const std::string& function : thread.functions) stack.take(function, true);
  return stack.get();
}

// The first argument of the system call is the address of the word of memory for which the thread waits.
std::optional<u64> word_of(const ThreadNow& thread) {
  const bool waits_for_word =
      std::ranges::any_of(thread.functions, [](const std::string& function) { return waits::is_futex_call(function); });
  return waits_for_word ? thread.first_argument : std::nullopt;
}

std::string innermost(const ThreadNow& thread) {
  return thread.functions.empty() ? std::string() : thread.functions.front();
}

void add_wait(const std::string& function, WaitClass wait, u64 duration, waits::WaitReport& report) {
  const auto known = std::ranges::find_if(
      report.functions, [&](const waits::FunctionRow& row) { return row.function == function && row.wait == wait; });
  if (known != report.functions.end()) {
    ++known->count;
    known->total += duration;
    return;
  }
  report.functions.push_back({.function = function,
                              .module = function.empty() ? "" : "[kernel]",
                              .wait = wait,
                              .count = 1,
                              .total = duration,
                              .median = duration,
                              .most_of_99_percent = duration,
                              .longest = duration,
                              .waker = std::string(waits::kNotEnded)});
}

}  // namespace

waits::WaitReport report_of_places(u32 process, const std::vector<ThreadNow>& threads, u64 duration) {
  waits::WaitReport report;
  report.duration = duration;
  report.threads_in_all = threads.size();
  for (const ThreadNow& thread : threads) {
    waits::ThreadRow row{.name = thread.name, .process = process, .thread = thread.thread, .times = {}};
    row.times.thread = thread.thread;
    const bool waited = !is_running(thread);
    const WaitClass wait = waited ? class_of(thread) : WaitClass::unexplained;
    const std::string function = innermost(thread);
    (waited ? row.times.waiting : row.times.unknown) = duration;
    if (waited) {
      row.times.waits = 1;
      row.times.longest_wait = duration;
      row.by_class[static_cast<usize>(wait)] = duration;
      add_wait(function, wait, duration, report);
    }
    report.threads.push_back(std::move(row));
    report.places_now.push_back({.name = thread.name,
                                 .thread = thread.thread,
                                 .state = std::string(state_text(thread.state)),
                                 .function = function,
                                 .wait = wait,
                                 .word = word_of(thread)});
  }
  std::ranges::stable_sort(report.functions, std::greater(), &waits::FunctionRow::total);
  return report;
}

std::optional<HungProcess> hung_process(u32 process, const show::WaitOptions& waits,
                                        const measure::Recording& recording) {
  const waits::WaitSelection& chosen = waits.chosen;
  const bool wants_tables = !waits.on_off && !waits.as_samples && !chosen.timeline && !chosen.critical_path;
  const auto allows = [](const auto& wanted, const auto& one) { return wanted.empty() || wanted.contains(one); };
  if (!wants_tables || !allows(chosen.processes, process)) return std::nullopt;
  const auto switched = switched_threads(recording.file);
  std::vector<ThreadNow> threads = linux_kernel::threads_now(process);
  std::erase_if(threads, [&](const ThreadNow& one) {
    return !allows(chosen.threads, one.thread) || !allows(chosen.names, one.name);
  });
  if (!switched.has_value() || threads.empty() || has_losses(recording.file)) return std::nullopt;
  if (std::ranges::any_of(threads, [&](const ThreadNow& one) { return switched->contains(one.thread); }))
    return std::nullopt;
  const perf_data::Features& features = recording.file.features();
  HungProcess hung;
  hung.about =
      recording::recorded_about(features, perf_data::read_run_facts(features.section(perf_data::kRunFactsFeature)));
  if (hung.about.elapsed_ns == 0) return std::nullopt;
  hung.report = report_of_places(process, threads, hung.about.elapsed_ns);
  return hung;
}

}  // namespace wperf::commands
