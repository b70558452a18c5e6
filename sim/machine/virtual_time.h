// SPDX-License-Identifier: BSD-3-Clause
// Cycles of the machine's one clock ⇄ nanoseconds of virtual time, and the sleeping that keeps virtual time from
// running ahead of the wall clock.
#pragma once
#include <chrono>

#include "base/ints.h"
#include "sim/machine/machine_options.h"

namespace wperf::sim {

class VirtualClock {
 public:
  explicit VirtualClock(u32 mhz) : mhz_(mhz) {}
  // cycles_at(): the whole cycles that have passed at a time. cycles_not_before(): the first cycle boundary at or after
  // it. ns_at(): the first whole nanosecond at which that many cycles have passed. Split so that no product overflows
  // for centuries.
  u64 cycles_at(u64 ns) const { return ns / 1000 * mhz_ + ns % 1000 * mhz_ / 1000; }
  u64 cycles_not_before(u64 ns) const { return ns / 1000 * mhz_ + (ns % 1000 * mhz_ + 999) / 1000; }
  u64 ns_at(u64 cycles) const { return cycles / mhz_ * 1000 + (cycles % mhz_ * 1000 + mhz_ - 1) / mhz_; }

 private:
  u64 mhz_;
};

// One wait() of the machine: begin, then keep after every step.
class Pacer {
 public:
  explicit Pacer(Pace pace) : pace_(pace) {}
  void begin(u64 virtual_ns);
  void keep(u64 virtual_ns) const;  // sleeps when virtual time is more than a timer's slack ahead
  void finish(u64 virtual_ns) const;
  bool real() const { return pace_ == Pace::real; }

 private:
  void sleep_until(u64 virtual_ns) const;

  Pace pace_;
  u64 virtual_start_ns_ = 0;
  std::chrono::steady_clock::time_point wall_start_;
};

}  // namespace wperf::sim
