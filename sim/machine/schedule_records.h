// SPDX-License-Identifier: BSD-3-Clause
// Records which thread ran on which core, and the sums to which the records must add up. Kept by the machine while its
// schedule is watched.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sim/cpu/signals.h"
#include "sim/machine_api.h"

namespace wperf::sim {

class Schedule {
 public:
  using Counts = std::array<u64, WPERF_SIM_MOST_COUNTS>;

  Schedule(std::vector<u16> events, usize cores) : events_(std::move(events)), seen_(cores) {
    events_.resize(std::min<usize>(events_.size(), WPERF_SIM_MOST_COUNTS));
  }

  // A core's counts at both levels.
  Counts counts_of(const SignalCounts& signals) const {
    Counts counts{};
    for (usize i = 0; i < events_.size(); ++i) {
      counts[i] = event_value(signals, Level::user, events_[i]) + event_value(signals, Level::kernel, events_[i]);
    }
    return counts;
  }
  // The core's counts up to now belong to no thread.
  void begin(u32 core, const SignalCounts& signals) { seen_[core] = counts_of(signals); }
  void spend(u32 core, u32 process, u32 thread, u64 cycles, const SignalCounts& signals) {
    WperfSimThreadTruth& one = truth_[{process, thread}];
    one.process = process;
    one.thread = thread;
    one.cycles += cycles;
    const Counts now = counts_of(signals);
    for (usize i = 0; i < events_.size(); ++i) one.counts[i] += now[i] - seen_[core][i];
    seen_[core] = now;
  }

  std::deque<WperfSimScheduleEvent> notes;

  std::vector<WperfSimThreadTruth> truth() const {
    std::vector<WperfSimThreadTruth> all;
    for (const auto& [who, one] : truth_) all.push_back(one);
    return all;
  }

 private:
  std::vector<u16> events_;
  std::vector<Counts> seen_;  // by core
  std::map<std::pair<u32, u32>, WperfSimThreadTruth> truth_;
};

}  // namespace wperf::sim
