// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine with a script that stores what each thread does, without computing anything from the events.
#pragma once
#include <map>
#include <random>
#include <vector>

#include "model/stacks/switches.h"

namespace wperf::waits {

inline stacks::Switch change(u64 time, u16 core, u32 leaves, stacks::Leaving leaving, u32 comes) {
  return {.time = time, .leaves = leaves, .comes = comes, .core = core, .leaving = leaving};
}
inline stacks::Switch wakes(u64 time, u16 core, u32 waker, u32 thread) {
  return {.time = time, .leaves = waker, .comes = thread, .core = core, .kind = stacks::Kind::woken};
}

struct PlayedMachine {
  enum class Is : u8 { running, ready, waiting };
  struct Truth {
    u64 running = 0, ready = 0, waiting = 0;
  };
  struct Stretch {
    u64 begin = 0, end = 0;
    Is is = Is::waiting;
  };

  explicit PlayedMachine(u32 seed) : engine_(seed) {
    const u32 cores = 1 + random() % 5;
    threads = cores + 1 + random() % 12;
    is_.resize(threads + 1, Is::waiting);
    since_.resize(threads + 1, 0);
    on_.resize(cores, stacks::kIdleThread);
    // All threads exist and wait at the beginning; their first events show this.
    for (u32 step = 0; step < 2000; ++step) play();
    now += 500;
    for (u32 thread = 1; thread <= threads; ++thread) note(thread);
  }

  u32 threads = 0;  // their numbers are 1 to `threads`
  u64 now = 0;
  std::vector<stacks::Switch> events;
  std::map<u32, Truth> truth;
  std::map<u32, std::vector<Stretch>> stretches;

 private:
  u32 random() { return static_cast<u32>(engine_()); }

  void note(u32 thread) {
    const u64 length = now - since_[thread];
    Truth& one = truth[thread];
    (is_[thread] == Is::running ? one.running : is_[thread] == Is::ready ? one.ready : one.waiting) += length;
    stretches[thread].push_back({since_[thread], now, is_[thread]});
    since_[thread] = now;
  }

  void play() {
    now += 1 + random() % 1000;
    const u16 core = static_cast<u16>(random() % on_.size());
    const u32 thread = 1 + random() % threads;
    if (is_[thread] == Is::waiting) {
      events.push_back(wakes(now, core, on_[core] == stacks::kIdleThread ? stacks::kNobody : on_[core], thread));
      note(thread);
      is_[thread] = Is::ready;
      return;
    }
    const u32 leaves = on_[core];
    const u32 comes = is_[thread] == Is::ready ? thread : stacks::kIdleThread;
    if (leaves == comes) return;
    const bool waits = random() % 2 == 0;
    events.push_back(change(now, core, leaves, waits ? stacks::Leaving::waits : stacks::Leaving::preempted, comes));
    if (leaves != stacks::kIdleThread) {
      note(leaves);
      is_[leaves] = waits ? Is::waiting : Is::ready;
    }
    if (comes != stacks::kIdleThread) {
      note(comes);
      is_[comes] = Is::running;
    }
    on_[core] = comes;
  }

  std::mt19937 engine_;
  std::vector<Is> is_;
  std::vector<u64> since_;
  std::vector<u32> on_;  // by core
};

}  // namespace wperf::waits
