// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/latency_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/waits/thread_times.h"
#include "analysis/waits/wait_names.h"
#include "ground/text/number_text.h"
#include "model/readings/samples.h"

namespace wperf::waits {

void Parallelism::add(u64 begin, u64 end) {
  if (begin >= end) return;
  steps_.push_back({.time = begin, .change = 1});
  steps_.push_back({.time = end, .change = -1});
}

void Parallelism::finish() {
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.time < b.time; });
  u32 running = 0;
  for (usize i = 0; i < steps_.size(); ++i) {
    // For changes at the same time, threads that leave may be listed first. Only the sum of such changes matters.
    running += static_cast<u32>(steps_[i].change);  // modulo 2^32
    steps_[i].running = running;
  }
}

std::vector<u64> Parallelism::times(u64 from, u64 to) const {
  std::vector<u64> times;
  for (usize i = 0; i + 1 < steps_.size(); ++i) {
    const u32 running = steps_[i].running;
    const u64 begin = std::max(steps_[i].time, from), end = std::min(steps_[i + 1].time, to);
    if (begin >= end || running == 0) continue;
    if (running > times.size()) times.resize(running);
    times[running - 1] += end - begin;
  }
  return times;
}

u32 Parallelism::at(u64 time) const {
  const auto behind = std::upper_bound(steps_.begin(), steps_.end(), time,
                                       [](u64 wanted, const Step& step) { return wanted < step.time; });
  return behind == steps_.begin() ? 0 : std::prev(behind)->running;
}

namespace {

// Is a sample chosen that was taken while this many threads ran?
bool is_chosen(u32 running, const LatencyOptions& options) {
  return !options.running.has_value() || (running >= options.running->from && running <= options.running->to);
}

std::string numbers_text(const request::ThreadNumbers& numbers) {
  const std::string to = numbers.to == numbers.from ? "" : fmt::format(" to {}", numbers.to);
  return fmt::format("{}{} thread{}", numbers.from, to, numbers.to == 1 ? "" : "s");
}

std::string whole_text(bool of_program, const LatencyOptions& options) {
  const std::string_view who = of_program ? "the program" : "all programs";
  const std::string text = options.by_time ? "the time in which " : fmt::format("the samples of {} while ", who);
  if (options.running.has_value()) {
    return text + fmt::format("{} {} ran", numbers_text(*options.running), of_program ? "of the program" : "of any");
  }
  return text + (of_program ? "the program ran" : "any thread ran");
}

// ": 1 thread 79.2 ms, 2 threads 70.7 ms"
std::string times_text(const std::vector<u64>& parallel_ns, const LatencyOptions& options) {
  std::string text;
  for (usize i = 0; i < parallel_ns.size(); ++i) {
    const u32 running = static_cast<u32>(i) + 1;
    if (parallel_ns[i] == 0 || !is_chosen(running, options)) continue;
    const std::string time = text::duration(static_cast<double>(parallel_ns[i]) / 1e9);
    if (options.running.has_value() && options.running->from == options.running->to) return ": " + time;
    text += fmt::format("{} {} thread{} {}", text.empty() ? ':' : ',', running, running == 1 ? "" : "s", time);
  }
  return text.empty() && options.running.has_value() ? ": never" : text;
}

}  // namespace

LatencyWeights latency_weights(const recording::RecordedSwitches& switches, const LatencyOptions& options,
                               const LatencyPart& part) {
  WaitSelection selection;
  const u32 program = switches.has_windows_reasons ? 0 : switches.program;  // a trace is about all programs
  if (program != 0) selection.processes = readings::with_children(program, switches.children);
  waits::Parallelism running;
  // Keeps the periods, because the chosen threads are known only after the accounting.
  struct Run {
    u32 thread = 0;
    u64 begin = 0, end = 0;
  };
  std::vector<Run> runs;
  const waits::Accounting accounting = waits::account(switches.switches, switches.unrecorded, switches.begin,
                                                      switches.end, [&](const waits::Stretch& one) {
                                                        if (one.state == waits::State::running)
                                                          runs.push_back({one.thread, one.begin, one.end});
                                                      });
  const std::vector<bool> chosen = chosen_threads(accounting, switches, selection);
  for (const Run& run : runs) {
    if (chosen[run.thread]) running.add(run.begin, run.end);
  }
  running.finish();
  LatencyWeights out;
  out.weights.resize(switches.samples);
  for (const recording::RunningSample& one : switches.running_samples) {
    const auto thread = switches.threads.find(one.thread);
    const u32 process = thread != switches.threads.end() ? thread->second.process : 0;
    if (one.sample >= out.weights.size() || (!selection.processes.empty() && !selection.processes.contains(process)))
      continue;
    // The sampled thread certainly ran, even if switches were lost.
    const u32 at_once = std::max<u32>(running.at(one.time), 1);
    if (!is_chosen(at_once, options)) continue;
    out.weights[one.sample] = std::max<u64>(one.weight / (options.by_time ? at_once : 1), 1);
  }
  const bool of_program = program != 0;
  if (part.is_all_of_it) {
    out.parallel_ns = running.times(part.from, part.to);
    out.whole = whole_text(of_program, options) + times_text(out.parallel_ns, options);
  } else {
    out.whole = whole_text(of_program, options);
  }
  return out;
}

LatencyWeights recorded_weights(const recording::RecordedSwitches& switches) {
  LatencyWeights out;
  out.weights.resize(switches.samples);
  for (const recording::RunningSample& one : switches.running_samples) {
    if (one.sample < out.weights.size()) out.weights[one.sample] = one.weight;
  }
  return out;
}

void keep_spans(const recording::ChosenSpans& spans, const recording::RecordedSwitches& switches,
                LatencyWeights& made) {
  for (const recording::RunningSample& one : switches.running_samples) {
    if (one.sample < made.weights.size() && !recording::lies_within(spans.stretches, one.thread, one.time))
      made.weights[one.sample] = 0;
  }
  made.whole =
      made.whole.empty() ? "the samples of threads in " + spans.text : made.whole + "; only the part in " + spans.text;
}

}  // namespace wperf::waits
