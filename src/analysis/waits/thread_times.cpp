// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/thread_times.h"

#include <algorithm>
#include <unordered_map>

#include "model/stacks/unrecorded.h"

namespace wperf::waits {
namespace {

constexpr u32 kNone = ~u32{0};

class AccountingBuilder {
 public:
  AccountingBuilder(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
                    u64 end, const TakeStretch& take)
      : take_(take) {
    out_.begin = now_ = all_recorded_since_ = begin;
    out_.end = end;
    for (const stacks::Switch& event : switches) {
      out_.end = std::max(out_.end, event.time);
      has_wakeups_ = has_wakeups_ || event.kind == stacks::Kind::woken;
    }
    unrecorded_ = stacks::UnrecordedTimes(unrecorded, begin, out_.end);
    marks_ = stacks::core_marks(unrecorded, begin, out_.end);
  }

  void add(stacks::Switch event) {
    // Time must not go back; such events come from a damaged file.
    now_ = event.time = std::max(event.time, now_);
    // The events at both ends of an unrecorded period were recorded.
    while (next_mark_ < marks_.size() && marks_[next_mark_].time + marks_[next_mark_].is_unrecorded <= now_)
      pass_mark();
    if (event.kind == stacks::Kind::switched) {
      add_switch(event);
    } else if (event.kind == stacks::Kind::renamed) {
      add_rename(event);
    } else {
      add_wakeup(event);
    }
  }

  Accounting finish() {
    while (next_mark_ < marks_.size()) pass_mark();
    for (u32 number = 0; number < threads_.size(); ++number) {
      const CurrentThread& thread = threads_[number];
      const bool is_off = thread.state == State::waiting || thread.state == State::ready;
      // It may have run, and ended, in the unrecorded period.
      if (is_off && unrecorded_.any(thread.since, out_.end)) lose(number, out_.end);
      // Waits that have not ended last at least until the end.
      if (thread.state == State::waiting) end_part(number, out_.end);
      if (thread.state == State::ready && thread.wait != kNone) resume(number, out_.end);
      emit(number, thread.state, out_.end);
    }
    for (usize core = 0; core < out_.cores.size(); ++core) close_core(core, out_.end);
    for (const u32 last : last_waits_) {
      if (last != kNone) out_.waits[last].is_last = true;
    }
    return std::move(out_);
  }

 private:
  struct CurrentThread {
    State state = State::unknown;
    bool is_there = false;  // false if it was not mentioned yet, or has ended
    bool preempted = false;
    u16 core = 0;
    u64 since = 0;
    u32 wait = kNone;  // the current wait, or the last one until the thread runs again
  };
  struct Core {
    u32 runs = stacks::kNobody;
    u64 since = 0, recorded_since = 0;
    u32 dark = 0;            // number of unrecorded periods that contain the current time
    bool has_begun = false;  // an event has shown its state since its recording began
  };

  // A gap in a core's recording ends the known state; after the gap it starts again.
  void pass_mark() {
    const stacks::CoreMark& mark = marks_[next_mark_++];
    if (mark.core != stacks::kEveryCore) {
      core_of(mark.core);
      return turn(mark.core, mark);
    }
    every_core_is_dark_ = mark.is_unrecorded;
    all_recorded_since_ = mark.time;
    for (usize core = 0; core < cores_.size(); ++core) turn(core, mark);
    if (!mark.is_unrecorded) return;
    for (const u32 number : came_nowhere_) {
      if (threads_[number].core == stacks::kUnknownCore) stop_running(number, mark.time);
    }
    came_nowhere_.clear();
  }
  void turn(usize number, const stacks::CoreMark& mark) {
    Core& core = cores_[number];
    const bool was_dark = core.dark != 0;
    if (mark.is_unrecorded) ++core.dark;
    if (!mark.is_unrecorded && core.dark != 0) --core.dark;
    if (was_dark == (core.dark != 0)) return;
    if (mark.is_unrecorded && core.runs != stacks::kNobody && core.runs != stacks::kIdleThread) {
      const u32 ran = number_of(core.runs, mark.time);
      if (threads_[ran].core == number) stop_running(ran, mark.time);
    }
    close_core(number, mark.time);
    core.runs = stacks::kNobody;
    core.has_begun = false;
    core.recorded_since = mark.time;
  }

  void stop_running(u32 number, u64 time) {
    if (threads_[number].state != State::running) return;
    emit(number, State::running, time);
    threads_[number].state = State::unknown;
  }

  u32 number_of(u32 thread, u64 time) {
    const auto [known, is_new] = numbers_.try_emplace(thread, static_cast<u32>(threads_.size()));
    if (is_new) {
      threads_.push_back({.since = time});
      out_.threads.push_back({.thread = thread});
      last_waits_.push_back(kNone);
    }
    return known->second;
  }

  // The time up to `time` that was not counted yet belongs to `state`.
  void emit(u32 number, State state, u64 time, u32 sample = stacks::kNoSample) {
    CurrentThread& thread = threads_[number];
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
  // Like emit(), for a thread on no core whose state is the same before and after each unrecorded period.
  void emit_lit(u32 number, u64 time) {
    const State state = threads_[number].state;
    unrecorded_.for_each_part(threads_[number].since, time, [&](u64, u64 end, bool is_unrecorded) {
      emit(number, is_unrecorded ? State::unknown : state, end);
    });
  }

  // A thread on no core changed its state in an unrecorded period: its last known state counts until the period begins,
  // and then it is unknown until `time`.
  void lose(u32 number, u64 time) {
    CurrentThread& thread = threads_[number];
    const u64 until = std::min(unrecorded_.first(thread.since), time);
    if (thread.state == State::waiting) end_part(number, until);
    if (thread.state == State::ready && thread.wait != kNone) resume(number, until);
    emit(number, thread.state, until);
    thread.state = State::unknown;
    thread.wait = kNone;
    thread.preempted = false;
    emit(number, State::unknown, time);
  }
  // After an unrecorded period, for a thread on no core: the next event shows that it was in `state` since then.
  void find(u32 number, u64 time, State state) {
    const u64 light = unrecorded_.last_end(time);
    lose(number, light);
    threads_[number].state = state;
    if (state == State::waiting) threads_[number].wait = begin_wait(number, light, {}, false);
  }

  void contradict(u32 number, u64 time) {
    ++out_.contradictions;
    CurrentThread& thread = threads_[number];
    if (thread.wait != kNone && !out_.waits[thread.wait].has_end) {
      out_.waits[thread.wait].is_known = false;
      --out_.threads[number].waits;
    }
    thread.wait = kNone;
    thread.preempted = false;
    thread.state = State::unknown;
    ThreadTimes& times = out_.threads[number];
    const u64 before = times.unknown;
    emit(number, State::unknown, time);
    ++times.contradictions;
    times.contradicted += times.unknown - before;
  }

  u32 begin_wait(u32 number, u64 time, const stacks::Switch& event, bool has_begin) {
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
  // The wait lasts at least until `time`.
  void end_part(u32 number, u64 time) {
    Wait& wait = out_.waits[threads_[number].wait];
    wait.woken = wait.resumed = time;
    wait.unknown = unrecorded_.length(wait.begin, time);
    ThreadTimes& times = out_.threads[number];
    times.longest_wait = std::max(times.longest_wait, wait.length());
    emit_lit(number, time);
  }
  void end_wait(u32 number, u64 time, u32 waker, u32 wake_sample) {
    end_part(number, time);
    Wait& wait = out_.waits[threads_[number].wait];
    wait.waker = waker;
    wait.wake_sample = wake_sample;
    wait.has_end = true;
  }
  void resume(u32 number, u64 time) {
    Wait& wait = out_.waits[threads_[number].wait];
    wait.resumed = std::max(time, wait.woken);
    wait.unknown_ready = unrecorded_.length(wait.woken, wait.resumed);
  }

  void add_switch(const stacks::Switch& event) {
    ++out_.switches;
    Core& core = core_of(event.core);
    if (event.core != stacks::kUnknownCore) ++out_.cores[event.core].switches;
    if (event.leaves != stacks::kNobody) check_who_ran(event, core);
    if (event.leaves == stacks::kIdleThread) {
      if (is_before_recording(core)) core.runs = stacks::kIdleThread;
    } else if (event.leaves != stacks::kNobody) {
      leave(event, core);
    }
    if (event.core != stacks::kUnknownCore) close_core(event.core, event.time);
    if (event.comes != stacks::kNobody && event.comes != stacks::kIdleThread) come(event, core);
    if (core.dark != 0) return;
    core.runs = event.comes;
    core.has_begun = true;
  }

  // If a core's first event is that a thread leaves, that thread was there since the core's recording began.
  static bool is_before_recording(const Core& core) { return !core.has_begun && core.dark == 0; }

  // The core's last recorded thread left it without a record, so a switch was lost. It is unknown when it stopped
  // running, and what ran afterwards.
  void check_who_ran(const stacks::Switch& event, Core& core) {
    if (!core.has_begun || core.runs == event.leaves || core.runs == stacks::kNobody ||
        core.runs == stacks::kIdleThread)
      return;
    const u32 number = number_of(core.runs, event.time);
    const CurrentThread& thread = threads_[number];
    if (thread.state == State::running && thread.core == event.core) contradict(number, event.time);
    core.runs = stacks::kNobody;
  }

  void leave(const stacks::Switch& event, Core& core) {
    const usize met = threads_.size();
    const u32 number = number_of(event.leaves, event.time);
    ran_until_now(number, number == met, event, core);
    CurrentThread& thread = threads_[number];
    emit(number, thread.state, event.time, event.sample);
    thread.wait = kNone;
    thread.is_there = event.leaving != stacks::Leaving::ended;
    thread.preempted = event.leaving == stacks::Leaving::preempted;
    switch (event.leaving) {
      case stacks::Leaving::waits:
        thread.wait = begin_wait(number, event.time, event, true);
        thread.state = State::waiting;
        break;
      case stacks::Leaving::preempted:
        thread.state = State::ready;
        break;
      case stacks::Leaving::ended:
        thread.state = State::unknown;
        out_.threads[number].has_ended = true;
        break;
      case stacks::Leaving::unknown:
        thread.state = State::unknown;
        break;
    }
  }

  void ran_until_now(u32 number, bool is_new, const stacks::Switch& event, Core& core) {
    CurrentThread& thread = threads_[number];
    const u64 light = core.recorded_since;
    if (is_new) {
      if (!is_before_recording(core)) return;
      thread.since = light;
      out_.threads[number].was_there = light == out_.begin;
    } else if (thread.state == State::running) {
      return;
    } else if (core.dark != 0) {
      return lose(number, event.time);
    } else if (is_before_recording(core) && thread.since <= light && unrecorded_.first(thread.since) < light) {
      lose(number, light);
    } else {
      return contradict(number, event.time);
    }
    thread.state = State::running;
    thread.is_there = true;
    thread.core = event.core;
    core.runs = event.leaves;
  }

  void come(const stacks::Switch& event, const Core& core) {
    const usize met = threads_.size();
    const u32 number = number_of(event.comes, event.time);
    const State state = threads_[number].state;
    const bool is_unrecorded = unrecorded_.any(threads_[number].since, event.time);
    if (number != met && state == State::running) contradict(number, event.time);
    if (state == State::ready) {
      if (threads_[number].wait != kNone) resume(number, event.time);
      emit_lit(number, event.time);
    } else if (is_unrecorded && has_wakeups_ && threads_[number].is_there) {
      find(number, event.time, State::ready);
    } else if (state == State::waiting) {
      // No record shows which thread woke it, so it waited until now.
      end_wait(number, event.time, stacks::kUnknown, stacks::kNoSample);
    }
    emit(number, threads_[number].state, event.time);
    CurrentThread& thread = threads_[number];
    thread = {.state = core.dark != 0 ? State::unknown : State::running,
              .is_there = true,
              .core = event.core,
              .since = event.time};
    if (event.core == stacks::kUnknownCore) came_nowhere_.push_back(number);
    ++out_.threads[number].switches;
  }

  void add_rename(const stacks::Switch& event) {
    const u32 from = number_of(event.leaves, event.time), to = number_of(event.comes, event.time);
    const State state = threads_[from].state;
    if (state == State::waiting || state == State::ready) contradict(from, event.time);
    if (threads_[to].state != State::unknown) contradict(to, event.time);
    emit(from, state, event.time);
    emit(to, State::unknown, event.time);
    threads_[to] = threads_[from];
    threads_[from] = {.since = event.time};
    out_.threads[from].has_ended = true;
    out_.threads[to].has_ended = false;
    if (threads_[to].core == stacks::kUnknownCore) came_nowhere_.push_back(to);
    if (state != State::running || threads_[to].core == stacks::kUnknownCore) return;
    if (Core& core = core_of(threads_[to].core); core.runs == event.leaves) core.runs = event.comes;
  }

  void add_wakeup(const stacks::Switch& event) {
    ++out_.wakeups;
    if (event.comes == stacks::kNobody || event.comes == stacks::kIdleThread) return;
    const usize met = threads_.size();
    const u32 number = number_of(event.comes, event.time);
    CurrentThread& thread = threads_[number];
    const bool is_unrecorded = thread.is_there && unrecorded_.any(thread.since, event.time);
    if (event.kind == stacks::Kind::created) {
      // A number may be reused.
      if (thread.state != State::unknown && thread.state != State::running && is_unrecorded) lose(number, event.time);
      if (thread.state != State::unknown) contradict(number, event.time);
      emit(number, State::unknown, event.time);
      thread = {.state = State::ready, .is_there = true, .since = event.time};
      out_.thread_starts.push_back(
          {.thread = number, .maker = event.leaves, .time = event.time, .sample = event.sample});
      return;
    }
    if (number == met) {
      // The thread has waited since the beginning.
      thread.state = State::waiting;
      thread.is_there = true;
      thread.since = out_.begin;
      out_.threads[number].was_there = true;
      thread.wait = begin_wait(number, out_.begin, event, false);
    }
    // A thread that is about to wait, or is already ready, is sometimes woken, too; this changes nothing.
    if (thread.state == State::running) return;
    if (thread.state != State::waiting) {
      if (!is_unrecorded) return;
      find(number, event.time, State::waiting);
    }
    end_wait(number, event.time, event.leaves, event.sample);
    thread.state = State::ready;
    thread.preempted = false;
  }

  Core& core_of(u16 core) {
    // The core is unknown, so nothing is known about the threads on any core.
    if (core == stacks::kUnknownCore) {
      nowhere_ = {.since = now_, .recorded_since = all_recorded_since_, .dark = every_core_is_dark_ ? 1u : 0};
      return nowhere_;
    }
    if (core >= cores_.size()) {
      const u64 since = all_recorded_since_;
      cores_.resize(core + usize{1}, {.since = since, .recorded_since = since, .dark = every_core_is_dark_ ? 1u : 0});
      out_.cores.resize(core + usize{1}, {.unknown = since - out_.begin});
    }
    return cores_[core];
  }
  void close_core(usize number, u64 time) {
    Core& core = cores_[number];
    CoreTimes& times = out_.cores[number];
    (core.runs == stacks::kIdleThread ? times.idle
     : core.runs != stacks::kNobody   ? times.busy
                                      : times.unknown) += time - core.since;
    core.since = time;
  }

  const TakeStretch& take_;
  u64 now_ = 0;
  Accounting out_;
  stacks::UnrecordedTimes unrecorded_;
  std::vector<stacks::CoreMark> marks_;
  usize next_mark_ = 0;
  bool every_core_is_dark_ = false;
  u64 all_recorded_since_ = 0;
  bool has_wakeups_ = false;
  std::unordered_map<u32, u32> numbers_;  // thread → index
  std::vector<CurrentThread> threads_;
  std::vector<u32> last_waits_;  // by thread; kNone if it did not wait
  std::vector<Core> cores_;
  Core nowhere_;
  std::vector<u32> came_nowhere_;  // threads that came to unknown cores since the last unrecorded period
};

}  // namespace

Accounting account(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
                   u64 end, const TakeStretch& take) {
  AccountingBuilder accountant(switches, unrecorded, begin, end, take);
  for (const stacks::Switch& event : switches) accountant.add(event);
  return accountant.finish();
}

}  // namespace wperf::waits
