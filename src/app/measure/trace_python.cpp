// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/trace_python.h"

#include <algorithm>
#include <span>
#include <vector>

#include "analysis/recording/trace_collector.h"
#include "analysis/recording/trace_recording.h"
#include "formats/etl/trace.h"
#include "formats/perf_data/run_facts.h"
#include "ground/os/mapped_file.h"

namespace wperf::measure {
namespace {

using recording::TraceCollector;

// A trace moves the times of some events, so that each event of a core and of a thread is later than the previous one.
// An event is moved at most by the time that one core of the simulated machine can run ahead of the others.
constexpr u64 kMostLateNs = 25'000;

struct Shown {
  u64 ticks = 0;
  u32 event = 0;  // number of the event
};

// The time at which each stack is shown. The stack of a thread that comes to a core is shown at the time at which the
// thread left. The stacks of a thread are in the order of their events.
std::vector<Shown> shown_stacks(const TraceCollector& collected) {
  std::vector<Shown> all(collected.stacks.count());
  for (u32 event = 0; event < all.size(); ++event) all[event] = {collected.stacks.time_of(event), event};
  for (const recording::TakenSwitch& one : collected.switches) {
    if (one.gone_on < collected.switches.size()) all[collected.switches[one.gone_on].number].ticks = one.time;
  }
  std::ranges::stable_sort(all, {}, &Shown::ticks);
  return all;
}

}  // namespace

diag::Result<void> TracePython::add_to(recording::TraceAdditions& additions, const std::string& trace_path) {
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(trace_path));
  WPERF_TRY(const etl::Trace trace, etl::Trace::open(mapped.bytes()));
  TraceCollector collected({.switches = true});
  etl::TraceLosses losses;
  trace.for_each_event([&](const etl::Event& event) { collected.take(event); }, losses);
  collected.history.finish();
  std::vector<u64> chain;
  for (const auto& [shown_ticks, event] : shown_stacks(collected)) {
    const std::span<const u64> user = collected.stacks.frames(collected.stacks.joined(event).user);
    if (user.empty()) continue;
    const u64 ticks = collected.stacks.time_of(event);
    readings::DrainedSample sample;
    sample.time_ns = recording::time_in_recording(trace, shown_ticks);
    sample.thread = collected.stacks.thread_of(event);
    sample.process = collected.history.process_of(sample.thread, ticks);
    const auto copy = python_.copy_of(sample.thread, trace.clock_ns(ticks), kMostLateNs);
    chain.assign(user.begin(), user.end());
    u64 link = 0;
    python_.join(sample, copy.get(), 0, chain, link);
    if (!std::ranges::equal(chain, user))
      additions.python_stacks.push_back({ticks, sample.process, sample.thread, chain});
  }
  additions.sections.emplace_back(perf_data::kJitCodeFeature, python_.jit_code());
  return {};
}

}  // namespace wperf::measure
