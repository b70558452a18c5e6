// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/ticker.h"

namespace wperf::driver {

NTSTATUS Ticker::start(u32 period_ms) {
  period_ms_ = period_ms;
  KeInitializeTimerEx(&timer_, SynchronizationTimer);
  return thread_.start([](void* self) { static_cast<Ticker*>(self)->run(); }, this);
}

void Ticker::run() {
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>(period_ms_) * 10'000;  // relative, in 100 ns
  static_cast<void>(KeSetTimerEx(&timer_, due, static_cast<LONG>(period_ms_), nullptr));
  // Windows' clock ticks every 15.6 ms unless a program requests a faster rate, and a timer waits for the clock. A
  // clock tick of a tenth of the period is enough. A fast clock makes the whole machine use more power, so it is
  // requested only while this thread runs.
  static_cast<void>(ExSetTimerResolution(period_ms_ * 1'000, TRUE));
  PVOID objects[] = {&thread_.end(), &timer_};
  while (KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr) !=
         STATUS_WAIT_0) {
    tick_(context_);
  }
  static_cast<void>(ExSetTimerResolution(0, FALSE));
  static_cast<void>(KeCancelTimer(&timer_));
}

}  // namespace wperf::driver
