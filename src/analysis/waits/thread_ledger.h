// SPDX-License-Identifier: BSD-3-Clause
// The state of each thread while the switches of a recording are read. Adds the time of each state, and the waits, to
// an Accounting; thread_times.cpp decides what an event means. Pure.
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
    bool is_there = false;  // false if it was not mentioned yet, or has ended
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

  // The time up to `time` that was not counted yet belongs to `state`.
  void emit(u32 number, State state, u64 time, u32 sample = stacks::kNoSample);
  // Like emit(), for a thread on no core whose state is the same before and after each unrecorded period.
  void emit_lit(u32 number, u64 time);
  // A thread on no core changed its state in an unrecorded period: its last known state counts until the period begins,
  // and then it is unknown until `time`.
  void lose(u32 number, u64 time);
  // After an unrecorded period, for a thread on no core: the next event shows that it was in `state` since then.
  void find(u32 number, u64 time, State state);
  // An event contradicts what is known about the thread.
  void contradict(u32 number, u64 time);
  void stop_running(u32 number, u64 time);

  // Returns the number of the wait.
  u32 begin_wait(u32 number, u64 time, const stacks::Switch& event, bool has_begin);
  void end_wait(u32 number, u64 time, u32 waker, u32 wake_sample);
  // The thread runs again after its wait.
  void resume(u32 number, u64 time);

  // Counts the states and waits that last until the end of the recording.
  void finish();

 private:
  // The wait lasts at least until `time`.
  void end_part(u32 number, u64 time);

  Accounting& out_;
  const stacks::UnrecordedTimes& unrecorded_;
  const TakeStretch& take_;
  std::unordered_map<u32, u32> numbers_;  // thread → index
  std::vector<Thread> threads_;
  std::vector<u32> last_waits_;  // by thread; kNoWait if it did not wait
};

}  // namespace wperf::waits
