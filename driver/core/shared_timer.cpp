// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/shared_timer.h"

#include "driver/core/critical.h"

namespace wperf::driver {
namespace {

constexpr u32 index_of(TimerUser user) {
  return static_cast<u32>(user);
}

}  // namespace

WperfStatus SharedTimer::start(TimerUser user, u32 period_ms) {
  const Periods before = periods_;
  Periods wanted = before;
  wanted.of[index_of(user)] = period_ms;
  if (running_ms_ != 0 && period_ms >= running_ms_) {
    set(wanted);
    return WPERF_OK;
  }
  const WperfStatus status = restart(wanted);
  if (status != WPERF_OK) {
    static_cast<void>(restart(before));
  }
  return status;
}

void SharedTimer::stop(TimerUser user) {
  Periods wanted = periods_;
  wanted.of[index_of(user)] = 0;
  set(wanted);  // the timer may tick more often than the remaining user needs; only ticks after its period are due
  if (wanted.of[0] == 0 && wanted.of[1] == 0) {
    static_cast<void>(restart(wanted));
  }
}

SharedTimer::Due SharedTimer::tick() {
  const Critical critical(hal_);
  bool due[kUsers] = {};
  for (u32 i = 0; i < kUsers; ++i) {
    if (periods_.of[i] == 0) {
      continue;
    }
    elapsed_ms_[i] += running_ms_;
    due[i] = elapsed_ms_[i] >= periods_.of[i];
    if (due[i]) {
      elapsed_ms_[i] %= periods_.of[i];
    }
  }
  return {due[index_of(TimerUser::counting)], due[index_of(TimerUser::profiling)]};
}

WperfStatus SharedTimer::restart(const Periods& periods) {
  if (running_ms_ != 0) {
    hal_.stop_timer();
  }
  u32 shortest = 0;
  for (const u32 period : periods.of) {
    shortest = period != 0 && (shortest == 0 || period < shortest) ? period : shortest;
  }
  {
    const Critical critical(hal_);
    running_ms_ = shortest;
  }
  set(periods);
  if (shortest == 0) {
    return WPERF_OK;
  }
  const WperfStatus status = hal_.start_timer(shortest);
  if (status != WPERF_OK) {
    const Critical critical(hal_);
    running_ms_ = 0;
  }
  return status;
}

void SharedTimer::set(const Periods& periods) {
  const Critical critical(hal_);
  for (u32 i = 0; i < kUsers; ++i) {
    if (periods.of[i] != periods_.of[i]) {
      elapsed_ms_[i] = 0;
    }
  }
  periods_ = periods;
}

}  // namespace wperf::driver
