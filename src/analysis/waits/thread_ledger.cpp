// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/thread_ledger.h"

#include <algorithm>

namespace wperf::waits {

u32 ThreadLedger::number_of(u32 thread, u64 time) {
  const auto [known, is_new] = numbers_.try_emplace(thread, static_cast<u32>(threads_.size()));
  if (is_new) {
    threads_.push_back({.since = time});
    out_.threads.push_back({.thread = thread});
    last_waits_.push_back(kNoWait);
  }
  return known->second;
}

void ThreadLedger::emit(u32 number, State state, u64 time, u32 sample) {
  Thread& thread = threads_[number];
  if (time <= thread.since) return;
  const u64 length = time - thread.since;
  ThreadTimes& times = out_.threads[number];
  if (state == State::running) times.running += length;
  if (state == State::ready) times.ready += length;
  if (state == State::ready && thread.preempted) times.preempted += length;
  if (state == State::waiting) times.waiting += length;
  if (state == State::unknown && thread.is_there) times.unknown += length;
  if (take_ && thread.is_there) {
    take_({.thread = number,
           .state = state,
           .preempted = thread.preempted,
           .core = thread.core,
           .begin = thread.since,
           .end = time,
           .wait = thread.wait,
           .sample = sample});
  }
  thread.since = time;
}

void ThreadLedger::emit_lit(u32 number, u64 time) {
  const State state = threads_[number].state;
  unrecorded_.for_each_part(threads_[number].since, time, [&](u64, u64 end, bool is_unrecorded) {
    emit(number, is_unrecorded ? State::unknown : state, end);
  });
}

void ThreadLedger::lose(u32 number, u64 time) {
  Thread& thread = threads_[number];
  const u64 until = std::min(unrecorded_.first(thread.since), time);
  if (thread.state == State::waiting) {
    end_part(number, until);
    out_.waits[thread.wait].is_cut = true;
  }
  if (thread.state == State::ready && thread.wait != kNoWait) resume(number, until);
  emit(number, thread.state, until);
  thread.state = State::unknown;
  thread.wait = kNoWait;
  thread.preempted = false;
  emit(number, State::unknown, time);
}

void ThreadLedger::find(u32 number, u64 time, State state) {
  const u64 light = unrecorded_.last_end(time);
  lose(number, light);
  threads_[number].state = state;
  if (state == State::waiting) threads_[number].wait = begin_wait(number, light, {}, false);
}

void ThreadLedger::contradict(u32 number, u64 time) {
  ++out_.contradictions;
  Thread& thread = threads_[number];
  if (thread.wait != kNoWait && !out_.waits[thread.wait].has_end) {
    out_.waits[thread.wait].is_known = false;
    --out_.threads[number].waits;
  }
  thread.wait = kNoWait;
  thread.preempted = false;
  thread.state = State::unknown;
  ThreadTimes& times = out_.threads[number];
  const u64 before = times.unknown;
  emit(number, State::unknown, time);
  ++times.contradictions;
  times.contradicted += times.unknown - before;
}

u32 ThreadLedger::begin_wait(u32 number, u64 time, const stacks::Switch& event, bool has_begin) {
  out_.waits.push_back({.begin = time,
                        .woken = time,
                        .resumed = time,
                        .thread = number,
                        .sample = has_begin ? event.sample : stacks::kNoSample,
                        .reason = has_begin ? event.reason : stacks::kNoReason,
                        .has_begin = has_begin});
  ++out_.threads[number].waits;
  last_waits_[number] = static_cast<u32>(out_.waits.size() - 1);
  return last_waits_[number];
}

void ThreadLedger::end_part(u32 number, u64 time) {
  Wait& wait = out_.waits[threads_[number].wait];
  wait.woken = wait.resumed = time;
  wait.unknown = unrecorded_.length(wait.begin, time);
  ThreadTimes& times = out_.threads[number];
  times.longest_wait = std::max(times.longest_wait, wait.length());
  emit_lit(number, time);
}

void ThreadLedger::end_wait(u32 number, u64 time, u32 waker, u32 wake_sample) {
  end_part(number, time);
  Wait& wait = out_.waits[threads_[number].wait];
  wait.waker = waker;
  wait.wake_sample = wake_sample;
  wait.has_end = true;
}

void ThreadLedger::resume(u32 number, u64 time) {
  Wait& wait = out_.waits[threads_[number].wait];
  wait.resumed = std::max(time, wait.woken);
  wait.unknown_ready = unrecorded_.length(wait.woken, wait.resumed);
}

void ThreadLedger::stop_running(u32 number, u64 time) {
  if (threads_[number].state != State::running) return;
  emit(number, State::running, time);
  threads_[number].state = State::unknown;
}

void ThreadLedger::finish() {
  for (u32 number = 0; number < threads_.size(); ++number) {
    const Thread& thread = threads_[number];
    const bool is_off = thread.state == State::waiting || thread.state == State::ready;
    // The thread may have run, and ended, in the unrecorded period.
    if (is_off && unrecorded_.any(thread.since, out_.end)) lose(number, out_.end);
    // Waits that have not ended last at least until the end of the recording.
    if (thread.state == State::waiting) end_part(number, out_.end);
    if (thread.state == State::ready && thread.wait != kNoWait) resume(number, out_.end);
    emit(number, thread.state, out_.end);
  }
  for (const u32 last : last_waits_) {
    if (last != kNoWait) out_.waits[last].is_last = true;
  }
}

}  // namespace wperf::waits
