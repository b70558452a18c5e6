// SPDX-License-Identifier: BSD-3-Clause
// A thread of the driver that waits for its owner's events or for the end. start and stop are called at IRQL
// PASSIVE_LEVEL, one after the other; the thread runs at PASSIVE_LEVEL too, with a higher priority than all programs,
// because measured programs keep the cores busy.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::driver {

class SystemThread {
 public:
  using Run = void (*)(void* context);  // returns when end() is set

  SystemThread() = default;
  SystemThread(const SystemThread&) = delete;
  SystemThread& operator=(const SystemThread&) = delete;

  [[nodiscard]] NTSTATUS start(Run run, void* context);
  void stop();  // sets end() and returns when the thread has ended; does nothing without a thread
  KEVENT& end() { return end_; }

 private:
  static void run_thread(PVOID self);

  Run run_ = nullptr;
  void* context_ = nullptr;
  KEVENT end_, ended_;
  PVOID thread_ = nullptr;  // a reference to it
};

}  // namespace wperf::driver
