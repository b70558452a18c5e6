// SPDX-License-Identifier: BSD-3-Clause
#include "commands/latency_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/wait_names.h"
#include "raw/samples.h"
#include "report/number_text.h"
#include "waits/parallelism.h"
#include "waits/thread_times.h"

namespace wperf::commands {
namespace {

std::string whole_text(const std::vector<u64>& parallel_ns, bool of_program) {
  std::string text = fmt::format("the time in which {} ran", of_program ? "the program" : "any thread");
  for (usize i = 0; i < parallel_ns.size(); ++i) {
    if (parallel_ns[i] == 0) continue;
    text += fmt::format("{} {} thread{} {}", text.ends_with("ran") ? ":" : ",", i + 1, i == 0 ? "" : "s",
                        report::duration(static_cast<double>(parallel_ns[i]) / 1e9));
  }
  return text;
}

}  // namespace

LatencyWeights latency_weights(const recording::RecordedSwitches& switches) {
  WaitSelection selection;
  if (switches.program != 0) selection.processes = raw::with_children(switches.program, switches.children);
  waits::Parallelism running;
  // Which threads count is known when all of them were met.
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
    // The one that was sampled ran, whatever was lost.
    out.weights[one.sample] = std::max<u64>(one.weight / std::max<u32>(running.at(one.time), 1), 1);
  }
  out.parallel_ns = running.times();
  out.whole = whole_text(out.parallel_ns, switches.program != 0);
  return out;
}

}  // namespace wperf::commands
