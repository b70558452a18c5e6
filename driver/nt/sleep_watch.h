// SPDX-License-Identifier: BSD-3-Clause
// Ends the measurement when the machine is about to sleep, for a plain service: its device is in no device stack, so it
// gets no power requests. start and stop are called at IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/service.h"
#include "driver/nt/system_thread.h"

namespace wperf::driver {

class SleepWatch {
 public:
  explicit SleepWatch(Service& service) : service_(service) {}

  void start();  // if Windows refuses, the driver still notices the lost registers afterwards
  void stop();

 private:
  static void on_power(PVOID self, PVOID what, PVOID value);
  void run();

  Service& service_;
  CALLBACK_OBJECT* notifications_ = nullptr;
  PVOID registration_ = nullptr;
  KEVENT sleeps_;
  SystemThread thread_;  // the notification may come at DISPATCH_LEVEL, where nothing may wait
};

}  // namespace wperf::driver
