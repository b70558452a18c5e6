// SPDX-License-Identifier: BSD-3-Clause
// Keeps the state of each thread while the switches of a recording are read. Adds the time of each state, and the
// waits, to an Accounting; thread_times.cpp interprets the events. Pure.
#pragma once
#include <unordered_map>
#include <vector>

#include "analysis/waits/thread_times.h"
#include "model/stacks/switches.h"
#include "model/stacks/unrecorded.h"

namespace wperf::waits {

class ThreadLedger {
 public:
  static constexpr u32 kNoWait = ~u32{0};
  struct Thread {
    State state = State::unknown;
    bool is_there = false;  // false if no event has mentioned it yet, or it has ended
    bool preempted = false;
    u16 core = 0;
    u64 since = 0;
    u32 wait = kNoWait;  // the current wait, or the last one until the thread runs again
  };

  // The arguments must outlive the ledger; they may change until the first call.
  ThreadLedger(Accounting& out, const stacks::UnrecordedTimes& unrecorded, const TakeStretch& take)
      : out_(out), unrecorded_(unrecorded), take_(take) {}

  // The index of a thread, which is added if it is new.
  u32 number_of(u32 thread, u64 time);
  usize size() const { return threads_.size(); }
  Thread& operator[](usize number) { return threads_[number]; }

  // Counts the thread's time from the last counted time to `time` as `state`.
  void emit(u32 number, State state, u64 time, u32 sample = stacks::kNoSample);
  // Like emit(), for a thread on no core that has the same state before and after each unrecorded period.
  void emit_lit(u32 number, u64 time);
  // For a thread on no core that changed its state in an unrecorded period: its last known state counts until the
  // period begins; from then until `time` its state is unknown.
  void lose(u32 number, u64 time);
  // For a thread on no core, after an unrecorded period: the next event shows that it was in `state` since the period.
  void find(u32 number, u64 time, State state);
  // Counts an event that contradicts the thread's known state.
  void contradict(u32 number, u64 time);
  void stop_running(u32 number, u64 time);

  // Returns the number of the wait.
  u32 begin_wait(u32 number, u64 time, const stacks::Switch& event, bool has_begin);
  void end_wait(u32 number, u64 time, u32 waker, u32 wake_sample);
  // The thread runs again after its wait.
  void resume(u32 number, u64 time);

  // Counts the states and waits that last until the recording ends.
  void finish();

 private:
  // Extends the thread's wait to at least `time`.
  void end_part(u32 number, u64 time);

  Accounting& out_;
  const stacks::UnrecordedTimes& unrecorded_;
  const TakeStretch& take_;
  std::unordered_map<u32, u32> numbers_;  // thread → index
  std::vector<Thread> threads_;
  std::vector<u32> last_waits_;  // by thread; kNoWait if it did not wait
};

}  // namespace wperf::waits
