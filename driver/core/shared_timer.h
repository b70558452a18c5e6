// SPDX-License-Identifier: BSD-3-Clause
// The single timer of the hal, shared by counting and statistical profiling, which may run at the same time. It ticks
// at the faster of the two rates and reports for which user each tick is due.
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

enum class TimerUser : u32 { counting, profiling };

class SharedTimer {
 public:
  explicit SharedTimer(Hal& hal) : hal_(hal) {}

  // Called by requests, one at a time, never in the critical section. After a failed start the other user keeps its
  // ticks if possible.
  [[nodiscard]] WperfStatus start(TimerUser user, u32 period_ms);
  void stop(TimerUser user);  // a tick that is under way may still be due for this user

  // Called by the timer, once a tick.
  struct Due {
    bool counting, profiling;
  };
  Due tick();

 private:
  static constexpr u32 kUsers = 2;
  struct Periods {  // in milliseconds, 0 = not used
    u32 of[kUsers];
  };

  [[nodiscard]] WperfStatus restart(const Periods& periods);
  void set(const Periods& periods);

  Hal& hal_;
  u32 running_ms_ = 0;  // the period that the hal's timer was started with
  Periods periods_ = {};
  u32 elapsed_ms_[kUsers] = {};  // since the user's latest tick
};

}  // namespace wperf::driver
