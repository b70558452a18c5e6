// SPDX-License-Identifier: BSD-3-Clause
// The waits on which the end of an interval depended, found backwards from that end, through a thread and the threads
// that ended its waits. Pure.
//
// While a thread runs or is ready, it is on the path. While it waits, the path continues with the thread that ended the
// wait, and so on. Before the wait, the thread is on the path again. So each point in time of the interval belongs to
// exactly one step.
#pragma once
#include <span>
#include <vector>

#include "analysis/waits/thread_times.h"
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

enum class StepState : u8 {
  running,
  ready,
  interrupted,  // the thread waits until an interrupt ends the wait
  unknown,      // its state, or the thread that ended its wait, was not recorded
};

struct PathStep {
  u64 begin = 0, end = 0;
  u32 thread = 0;  // index into threads
  StepState state = StepState::unknown;
  bool preempted = false;
  // interrupted and unknown: index of the wait; ready: index of the wait before; ~0: none
  u32 wait = ~u32{0};
  u32 woke = ~u32{0};              // running: index of the wait that the thread ended at this step's end; ~0: none
  u32 made = ~u32{0};              // running: index of the thread that it created at this step's end
  u32 sample = stacks::kNoSample;  // running: the sample at this step's end
};

// The periods of each thread in order, as account() returns them, stored compactly.
class ThreadHistories {
 public:
  struct Moment {
    u64 begin = 0;
    u32 detail = ~u32{0};  // running: a sample; otherwise a wait
    State state = State::unknown;
    bool preempted = false;
  };
  void take(const Stretch& stretch);
  // The period just before `time`; the period may have begun long before. If the thread has no recorded period there,
  // the state of the result is unknown.
  Moment before(u32 thread, u64 time) const;
  // The same, faster for a walk back in time: `place` keeps the position of the thread's last result; initially ~0.
  Moment before(u32 thread, u64 time, usize& place) const;
  u64 first(u32 thread) const;  // the begin of its first period
  u64 last(u32 thread) const;

 private:
  struct ThreadTimeline {
    std::vector<Moment> moments;
    u64 end = 0;
  };
  std::vector<ThreadTimeline> timelines_;  // by thread
};

// The steps from `begin` to `end`, in order of time and without gaps. `thread`: index.
std::vector<PathStep> critical_path(const Accounting& accounting, const ThreadHistories& histories, u32 thread,
                                    u64 begin, u64 end);

ThreadHistories histories_of(const Accounting& accounting, const recording::RecordedSwitches& switches);

// Builds the critical path for `waits`, with names.

// The path ends with the first chosen thread and covers the known part of the selected time. nullopt if no thread is
// chosen.
std::optional<waits::PathReport> build_critical_path(const waits::Accounting& accounting,
                                                     const recording::RecordedSwitches& switches,
                                                     const ThreadHistories& histories, WaitNames& names,
                                                     const WaitSelection& selection);

}  // namespace wperf::waits
