// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/time_part.h"

#include <algorithm>
#include <unordered_map>

#include "model/stacks/unrecorded.h"

namespace wperf::waits {
namespace {

// Removes the times, which cover the whole recording.
void clear_times(ThreadTimes& times) {
  times.running = times.ready = times.waiting = times.preempted = times.unknown = 0;
  times.switches = times.waits = times.longest_wait = 0;
}

void add_stretch(const Stretch& one, const TimePart& part, ThreadTimes& times) {
  const u64 begin = std::max(one.begin, part.from), end = std::min(one.end, part.to);
  if (begin >= end) return;
  const u64 length = end - begin;
  if (one.state == State::running) times.running += length;
  if (one.state == State::ready) times.ready += length;
  if (one.state == State::ready && one.preempted) times.preempted += length;
  if (one.state == State::waiting) times.waiting += length;
  if (one.state == State::unknown) times.unknown += length;
}

void add_events(const recording::RecordedSwitches& switches, const TimePart& part, Accounting& out) {
  std::unordered_map<u32, u32> numbers;
  for (u32 i = 0; i < out.threads.size(); ++i) numbers.emplace(out.threads[i].thread, i);
  out.switches = out.wakeups = 0;
  for (const stacks::Switch& event : switches.switches) {
    if (event.time < part.from || event.time >= part.to || event.kind == stacks::Kind::renamed) continue;
    ++(event.kind == stacks::Kind::switched ? out.switches : out.wakeups);
    const auto known = numbers.find(event.comes);
    if (event.kind == stacks::Kind::switched && known != numbers.end()) ++out.threads[known->second].switches;
  }
}

void cut(const TimePart& part, const stacks::UnrecordedTimes& unrecorded, Wait& wait) {
  const bool is_within = wait.begin < part.to && (wait.woken > part.from || wait.begin >= part.from);
  if (!is_within) {
    wait.is_known = false;
    return;
  }
  const u64 until_run = wait.resumed - wait.woken;
  wait.begin = std::max(wait.begin, part.from);
  wait.woken = std::min(wait.woken, part.to);
  wait.resumed = wait.woken + until_run;
  wait.unknown = unrecorded.length(wait.begin, wait.woken);
}

}  // namespace

Accounting part_of(const Accounting& all, const recording::RecordedSwitches& switches, const TimePart& part) {
  Accounting out = all;
  for (ThreadTimes& times : out.threads) clear_times(times);
  account(switches.switches, switches.unrecorded, all.begin, all.end,
          [&](const Stretch& one) { add_stretch(one, part, out.threads[one.thread]); });
  add_events(switches, part, out);
  const stacks::UnrecordedTimes unrecorded(switches.unrecorded, all.begin, all.end);
  for (Wait& wait : out.waits) {
    if (wait.is_known) cut(part, unrecorded, wait);
    if (!wait.is_known) continue;
    ThreadTimes& times = out.threads[wait.thread];
    ++times.waits;
    times.longest_wait = std::max(times.longest_wait, wait.length());
  }
  return out;
}

}  // namespace wperf::waits
