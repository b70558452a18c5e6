// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/thread_times.h"

#include <algorithm>
#include <utility>

#include "analysis/waits/thread_ledger.h"
#include "model/stacks/unrecorded.h"

namespace wperf::waits {
namespace {

class AccountingBuilder {
 public:
  AccountingBuilder(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
                    u64 end, const TakeStretch& take)
      : threads_(out_, unrecorded_, take) {
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
    // Events exactly at the begin or end of an unrecorded period were recorded.
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
    threads_.finish();
    for (usize core = 0; core < out_.cores.size(); ++core) close_core(core, out_.end);
    return std::move(out_);
  }

 private:
  struct Core {
    u32 runs = stacks::kNobody;
    u64 since = 0, recorded_since = 0;
    u32 dark = 0;            // number of unrecorded periods that contain the current time
    bool has_begun = false;  // an event has shown its state since its recording began
  };

  // A gap in the recording of a core ends its known state; after the gap the core starts without a state.
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
      if (threads_[number].core == stacks::kUnknownCore) threads_.stop_running(number, mark.time);
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
      const u32 ran = threads_.number_of(core.runs, mark.time);
      if (threads_[ran].core == number) threads_.stop_running(ran, mark.time);
    }
    close_core(number, mark.time);
    core.runs = stacks::kNobody;
    core.has_begun = false;
    core.recorded_since = mark.time;
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

  // If the first event on a core is that a thread leaves, this thread was on the core since the recording of the core
  // began.
  static bool is_before_recording(const Core& core) { return !core.has_begun && core.dark == 0; }

  // If the core's last known thread left it without a record, a switch was lost. Then it is unknown when the thread
  // stopped running, and what ran afterwards.
  void check_who_ran(const stacks::Switch& event, Core& core) {
    if (!core.has_begun || core.runs == event.leaves || core.runs == stacks::kNobody ||
        core.runs == stacks::kIdleThread)
      return;
    const u32 number = threads_.number_of(core.runs, event.time);
    const ThreadLedger::Thread& thread = threads_[number];
    if (thread.state == State::running && thread.core == event.core) threads_.contradict(number, event.time);
    core.runs = stacks::kNobody;
  }

  void leave(const stacks::Switch& event, Core& core) {
    const usize met = threads_.size();
    const u32 number = threads_.number_of(event.leaves, event.time);
    ran_until_now(number, number == met, event, core);
    ThreadLedger::Thread& thread = threads_[number];
    threads_.emit(number, thread.state, event.time, event.sample);
    thread.wait = ThreadLedger::kNoWait;
    thread.is_there = event.leaving != stacks::Leaving::ended;
    thread.preempted = event.leaving == stacks::Leaving::preempted;
    switch (event.leaving) {
      case stacks::Leaving::waits:
        thread.wait = threads_.begin_wait(number, event.time, event, true);
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
    ThreadLedger::Thread& thread = threads_[number];
    const u64 light = core.recorded_since;
    if (is_new) {
      if (!is_before_recording(core)) return;
      thread.since = light;
      out_.threads[number].was_there = light == out_.begin;
    } else if (thread.state == State::running) {
      return;
    } else if (core.dark != 0) {
      return threads_.lose(number, event.time);
    } else if (is_before_recording(core) && thread.since <= light && unrecorded_.first(thread.since) < light) {
      threads_.lose(number, light);
    } else {
      return threads_.contradict(number, event.time);
    }
    thread.state = State::running;
    thread.is_there = true;
    thread.core = event.core;
    core.runs = event.leaves;
  }

  void come(const stacks::Switch& event, const Core& core) {
    const usize met = threads_.size();
    const u32 number = threads_.number_of(event.comes, event.time);
    const State state = threads_[number].state;
    const bool is_unrecorded = unrecorded_.any(threads_[number].since, event.time);
    if (number != met && state == State::running) threads_.contradict(number, event.time);
    if (state == State::ready) {
      if (threads_[number].wait != ThreadLedger::kNoWait) threads_.resume(number, event.time);
      threads_.emit_lit(number, event.time);
    } else if (is_unrecorded && has_wakeups_ && threads_[number].is_there) {
      threads_.find(number, event.time, State::ready);
    } else if (state == State::waiting) {
      // No record shows which thread woke this thread, so it waited until now.
      threads_.end_wait(number, event.time, stacks::kUnknown, stacks::kNoSample);
    }
    threads_.emit(number, threads_[number].state, event.time);
    ThreadLedger::Thread& thread = threads_[number];
    thread = {.state = core.dark != 0 ? State::unknown : State::running,
              .is_there = true,
              .core = event.core,
              .since = event.time};
    if (event.core == stacks::kUnknownCore) came_nowhere_.push_back(number);
    ++out_.threads[number].switches;
  }

  void add_rename(const stacks::Switch& event) {
    const u32 from = threads_.number_of(event.leaves, event.time), to = threads_.number_of(event.comes, event.time);
    const State state = threads_[from].state;
    if (state == State::waiting || state == State::ready) threads_.contradict(from, event.time);
    if (threads_[to].state != State::unknown) threads_.contradict(to, event.time);
    threads_.emit(from, state, event.time);
    threads_.emit(to, State::unknown, event.time);
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
    const u32 number = threads_.number_of(event.comes, event.time);
    ThreadLedger::Thread& thread = threads_[number];
    const bool is_unrecorded = thread.is_there && unrecorded_.any(thread.since, event.time);
    if (event.kind == stacks::Kind::created) {
      // The number may be reused for a new thread.
      if (thread.state != State::unknown && thread.state != State::running && is_unrecorded)
        threads_.lose(number, event.time);
      if (thread.state != State::unknown) threads_.contradict(number, event.time);
      threads_.emit(number, State::unknown, event.time);
      thread = {.state = State::ready, .is_there = true, .since = event.time};
      out_.thread_starts.push_back(
          {.thread = number, .maker = event.leaves, .time = event.time, .sample = event.sample});
      return;
    }
    if (number == met) {
      // The thread has waited since the beginning of the recording.
      thread.state = State::waiting;
      thread.is_there = true;
      thread.since = out_.begin;
      out_.threads[number].was_there = true;
      thread.wait = threads_.begin_wait(number, out_.begin, event, false);
    }
    // Sometimes a thread is woken that is about to wait, or already ready; this changes nothing.
    if (thread.state == State::running) return;
    if (is_unrecorded) {
      threads_.find(number, event.time, State::waiting);
    } else if (thread.state != State::waiting) {
      return;
    }
    threads_.end_wait(number, event.time, event.leaves, event.sample);
    thread.state = State::ready;
    thread.preempted = false;
  }

  Core& core_of(u16 core) {
    // If the core is unknown, uses a state that stands for any core.
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

  u64 now_ = 0;
  Accounting out_;
  stacks::UnrecordedTimes unrecorded_;
  std::vector<stacks::CoreMark> marks_;
  usize next_mark_ = 0;
  bool every_core_is_dark_ = false;
  u64 all_recorded_since_ = 0;
  bool has_wakeups_ = false;
  ThreadLedger threads_;
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
