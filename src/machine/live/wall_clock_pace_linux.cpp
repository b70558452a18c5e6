// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/wall_clock_pace_linux.h"

#include <algorithm>
#include <vector>

namespace wperf::live {

using std::chrono::nanoseconds;

int WallClockPace::pass(device::SampleWatcher* watcher, bool is_awaited) {
  // If the machine falls behind the wall clock, it does not catch up later.
  constexpr u64 kMostLagNs = 50'000'000;
  const Clock::time_point now = Clock::now();
  const u64 due_ns = machine_ns_ + static_cast<u64>(nanoseconds(now - wall_).count());
  const u64 machine_now_ns = machine_.now_ns();
  if (due_ns <= machine_now_ns) return static_cast<int>((machine_now_ns - due_ns) / 1'000'000) + 1;
  if (due_ns - machine_now_ns > kMostLagNs) {
    machine_ns_ = machine_now_ns;
    wall_ = now;
  }
  step(watcher, is_awaited);
  return 0;
}

void WallClockPace::step(device::SampleWatcher* watcher, bool is_awaited) {
  constexpr nanoseconds kStepIsLong{20'000'000}, kStepIsShort{5'000'000};
  const Clock::time_point begin = Clock::now();
  machine_.watch_samples(watcher);
  const bool is_idle = !is_awaited && !runs_programs();
  static_cast<void>(machine_.wait(is_idle ? kIdleStepNs : step_ns_, 0));
  machine_.watch_samples(nullptr);
  const nanoseconds took = Clock::now() - begin;
  if (took > kStepIsLong) step_ns_ = std::max(step_ns_ / 2, kLeastStepNs);
  if (took < kStepIsShort) step_ns_ = std::min(step_ns_ * 2, kMostStepNs);
}

// Asks the machine a few times a second.
bool WallClockPace::runs_programs() {
  constexpr nanoseconds kLookAgain{100'000'000};
  if (Clock::now() - looked_ > kLookAgain) {
    const std::vector<readings::Process> all = machine_.processes();
    runs_programs_ = std::any_of(all.begin(), all.end(), [](const readings::Process& one) { return one.running; });
    looked_ = Clock::now();
  }
  return runs_programs_;
}

}  // namespace wperf::live
