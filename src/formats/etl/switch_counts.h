// SPDX-License-Identifier: BSD-3-Clause
// Counts for each thread. Context switches carry the values of the core's counters; the differences are assigned to the
// threads that ran in between. Counts that cannot be assigned (events were lost, counters went back) are summed up
// separately.
#pragma once
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "formats/etl/trace.h"

namespace wperf::etl {

class SwitchCounts {
 public:
  // `counters`: the number of values with each switch. `cores`: the cores to count; empty for all. `begin`: when the
  // recording of switches began. `unrecorded`: see TraceLosses.
  SwitchCounts(usize counters, std::span<const u32> cores, u64 begin, std::span<const Unrecorded> unrecorded)
      : counters_(counters), cores_wanted_(cores.begin(), cores.end()), begin_(begin), unrecorded_(unrecorded) {}

  // Must be called with all events, in order of time.
  void take(const Event& event);
  void finish(u64 end);

  struct Spent {
    u64 running = 0;  // ticks
    u64 switches = 0;
    u64 lost = 0;    // the part of `running` without known counts, in ticks
    u64 unseen = 0;  // ticks before the first and after the last switch of its core; not included in other sums
    std::vector<u64> values;
  };
  struct Thread {
    u32 thread = 0;  // 0: idle cores
    u64 time = 0;    // a time at which it ran, used to find its process
    Spent spent;
  };
  // if the number of a thread was reused, there are two entries
  const std::vector<Thread>& threads() const { return threads_; }
  // One entry for each core. Its times are without idle time; its `values` include idle time.
  const std::vector<Spent>& cores() const { return by_core_; }
  u64 switches_without_counters() const { return without_; }

 private:
  struct Core {
    bool is_known = false;
    u32 thread = 0;
    u64 since = 0;
    bool has_values = false;
    std::vector<u64> values;
  };
  Thread& thread_of(u32 thread, u64 time);
  void take_switch(const Event& event, u32 leaves, u32 comes);
  void spend(u16 core, u32 thread, const Core& from, const Core& to);
  bool in_gap(u16 core, u64 from, u64 to) const;

  usize counters_;
  std::set<u32> cores_wanted_;
  u64 begin_;
  std::span<const Unrecorded> unrecorded_;
  std::vector<Core> cores_;
  std::vector<Thread> threads_;
  std::vector<Spent> by_core_;
  std::unordered_map<u32, usize> current_;  // by thread: its index
  u64 without_ = 0;
};

}  // namespace wperf::etl
