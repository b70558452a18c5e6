// SPDX-License-Identifier: BSD-3-Clause
#include "waits/thread_times.h"

#include <algorithm>
#include <unordered_map>

namespace wperf::waits {
namespace {

constexpr u32 kNone = ~u32{0};

class Accountant {
 public:
  Accountant(u64 begin, u64 end, const TakeStretch& take) : take_(take) {
    out_.begin = now_ = begin;
    out_.end = end;
  }

  void add(Switch event) {
    // Time does not go back; what says so is of a damaged file.
    now_ = event.time = std::max(event.time, now_);
    if (event.kind == Kind::switched) {
      add_switch(event);
    } else {
      add_wakeup(event);
    }
  }

  Accounting finish() {
    out_.end = std::max(out_.end, now_);
    for (u32 number = 0; number < lives_.size(); ++number) {
      const State state = lives_[number].state;
      close(number, out_.end);
      const u32 wait = lives_[number].wait;
      if (wait == kNone) continue;
      // What has not ended lasts at least until here.
      if (state == State::waiting) out_.waits[wait].woken = out_.end;
      out_.waits[wait].resumed = out_.end;
      note_length(number, wait);
    }
    for (usize core = 0; core < out_.cores.size(); ++core) close_core(core, out_.end);
    return std::move(out_);
  }

 private:
  struct Life {
    State state = State::unknown;
    u64 since = 0;
    u32 wait = kNone;  // the one that lasts, or that it has not resumed from
    u16 core = 0;
    bool preempted = false;
  };
  struct Core {
    u32 runs = kNobody;
    u64 since = 0;
    bool has_told = false;
  };

  u32 number_of(u32 thread, u64 time) {
    const auto [known, is_new] = numbers_.try_emplace(thread, static_cast<u32>(lives_.size()));
    if (is_new) {
      lives_.push_back({.since = time});
      out_.threads.push_back({.thread = thread});
    }
    return known->second;
  }

  // The time since its last change belongs to the state it was in.
  void close(u32 number, u64 time, u32 sample = kNoSample) {
    Life& life = lives_[number];
    ThreadTimes& times = out_.threads[number];
    const u64 length = time - life.since;
    switch (life.state) {
      case State::running:
        times.running += length;
        break;
      case State::ready:
        times.ready += length;
        if (life.preempted) times.preempted += length;
        break;
      case State::waiting:
        times.waiting += length;
        break;
      case State::unknown:
        break;
    }
    if (take_ && life.state != State::unknown && length != 0) {
      take_({.thread = number,
             .state = life.state,
             .preempted = life.preempted,
             .core = life.core,
             .begin = life.since,
             .end = time,
             .wait = life.wait,
             .sample = sample});
    }
    life.since = time;
  }

  void contradict(u32 number, u64 time) {
    ++out_.contradictions;
    Life& life = lives_[number];
    out_.threads[number].contradictory += time - life.since;
    if (life.wait != kNone && !out_.waits[life.wait].has_end) {
      out_.waits[life.wait].is_known = false;
      --out_.threads[number].waits;
    }
    life = {.since = time};
  }

  // What a thread's first event says of the time before it.
  void was_since_begin(u32 number, State state, u16 core) {
    Life& life = lives_[number];
    life.state = state;
    life.since = out_.begin;
    life.core = core;
    out_.threads[number].was_there = true;
  }

  u32 begin_wait(u32 number, u64 time, const Switch& event, bool has_begin) {
    out_.waits.push_back({.begin = time,
                          .woken = time,
                          .resumed = time,
                          .thread = number,
                          .sample = has_begin ? event.sample : kNoSample,
                          .reason = has_begin ? event.reason : kNoReason,
                          .has_begin = has_begin});
    ++out_.threads[number].waits;
    return static_cast<u32>(out_.waits.size() - 1);
  }
  void note_length(u32 number, u32 wait) {
    ThreadTimes& times = out_.threads[number];
    times.longest_wait = std::max(times.longest_wait, out_.waits[wait].length());
  }
  void end_wait(u32 number, u64 time, u32 waker, u32 wake_sample) {
    const u32 wait = lives_[number].wait;
    out_.waits[wait].woken = time;
    out_.waits[wait].resumed = time;
    out_.waits[wait].waker = waker;
    out_.waits[wait].wake_sample = wake_sample;
    out_.waits[wait].has_end = true;
    note_length(number, wait);
  }

  void add_switch(const Switch& event) {
    ++out_.switches;
    Core& core = core_of(event.core);
    ++out_.cores[event.core].switches;
    if (event.leaves != kNobody) check_who_ran(event, core);
    if (event.leaves == kIdleThread) {
      if (!core.has_told) core.runs = kIdleThread;
    } else if (event.leaves != kNobody) {
      leave(event, core);
    }
    close_core(event.core, event.time);
    if (event.comes != kNobody && event.comes != kIdleThread) come(event);
    core.runs = event.comes;
    core.has_told = true;
  }

  // Of whom the core told last is not there any more, and nobody told of it: a switch was lost. Since when it did not
  // run is not known, nor what the core did.
  void check_who_ran(const Switch& event, Core& core) {
    if (!core.has_told || core.runs == event.leaves || core.runs == kNobody || core.runs == kIdleThread) return;
    const u32 number = number_of(core.runs, event.time);
    const Life& life = lives_[number];
    if (life.state == State::running && life.core == event.core) contradict(number, event.time);
    core.runs = kNobody;
  }

  void leave(const Switch& event, Core& core) {
    const usize met = lives_.size();
    const u32 number = number_of(event.leaves, event.time);
    Life& life = lives_[number];
    if (number == met) {
      // It ran until now: since the beginning, if its core has told of nobody else.
      if (!core.has_told) {
        was_since_begin(number, State::running, event.core);
        core.runs = event.leaves;
      }
    } else if (life.state != State::running) {
      contradict(number, event.time);
    }
    close(number, event.time, event.sample);
    life.wait = kNone;
    life.preempted = false;
    switch (event.leaving) {
      case Leaving::waits:
        life.wait = begin_wait(number, event.time, event, true);
        life.state = State::waiting;
        break;
      case Leaving::preempted:
        life.state = State::ready;
        life.preempted = true;
        break;
      case Leaving::ended:
        life.state = State::unknown;
        out_.threads[number].has_ended = true;
        break;
      case Leaving::unknown:
        life.state = State::unknown;
        break;
    }
  }

  void come(const Switch& event) {
    const usize met = lives_.size();
    const u32 number = number_of(event.comes, event.time);
    Life& life = lives_[number];
    if (number != met && life.state == State::running) contradict(number, event.time);
    close(number, event.time);
    // Nobody told who made it ready: then it waited until now.
    if (life.state == State::waiting) end_wait(number, event.time, kUnknown, kNoSample);
    if (life.wait != kNone) out_.waits[life.wait].resumed = event.time;
    life.wait = kNone;
    life.preempted = false;
    life.state = State::running;
    life.core = event.core;
    ++out_.threads[number].switches;
  }

  void add_wakeup(const Switch& event) {
    ++out_.wakeups;
    if (event.comes == kNobody || event.comes == kIdleThread) return;
    const usize met = lives_.size();
    const u32 number = number_of(event.comes, event.time);
    Life& life = lives_[number];
    if (event.kind == Kind::created) {
      // A number may be used again.
      if (life.state != State::unknown) contradict(number, event.time);
      life = {.state = State::ready, .since = event.time};
      out_.births.push_back({.thread = number, .maker = event.leaves, .time = event.time, .sample = event.sample});
      return;
    }
    if (number == met) {
      was_since_begin(number, State::waiting, 0);
      life.wait = begin_wait(number, out_.begin, event, false);
    }
    // Who is on its way into a wait, or ready already, is sometimes woken, too: that changes nothing.
    if (life.state != State::waiting) return;
    close(number, event.time);
    end_wait(number, event.time, event.leaves, event.sample);
    life.state = State::ready;
    life.preempted = false;
  }

  Core& core_of(u16 core) {
    if (core >= cores_.size()) {
      cores_.resize(core + usize{1}, {.since = out_.begin});
      out_.cores.resize(core + usize{1});
    }
    return cores_[core];
  }
  void close_core(usize number, u64 time) {
    Core& core = cores_[number];
    if (core.runs == kIdleThread) {
      out_.cores[number].idle += time - core.since;
    } else if (core.runs != kNobody) {
      out_.cores[number].busy += time - core.since;
    }
    core.since = time;
  }

  const TakeStretch& take_;
  u64 now_ = 0;
  Accounting out_;
  std::unordered_map<u32, u32> numbers_;  // thread → index
  std::vector<Life> lives_;
  std::vector<Core> cores_;
};

}  // namespace

Accounting account(std::span<const Switch> switches, u64 begin, u64 end, const TakeStretch& take) {
  Accountant accountant(begin, end, take);
  for (const Switch& event : switches) accountant.add(event);
  return accountant.finish();
}

}  // namespace wperf::waits
