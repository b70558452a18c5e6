// SPDX-License-Identifier: BSD-3-Clause
// Mutual exclusion that leaves its holder at PASSIVE_LEVEL (a fast mutex would raise it to APC_LEVEL, where most calls
// of the driver are not allowed). A process cannot suspend or end its thread while the thread holds the mutex. Not
// recursive. IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::driver {

class Mutex {
 public:
  Mutex() { KeInitializeEvent(&free_, SynchronizationEvent, TRUE); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void acquire() {
    KeEnterCriticalRegion();
    static_cast<void>(KeWaitForSingleObject(&free_, Executive, KernelMode, FALSE, nullptr));
  }
  void release() {
    static_cast<void>(KeSetEvent(&free_, 0, FALSE));
    KeLeaveCriticalRegion();
  }

 private:
  KEVENT free_;  // signaled while the mutex is free; one waiter gets it
};

class Guard {
 public:
  explicit Guard(Mutex& mutex) : mutex_(mutex) { mutex_.acquire(); }
  ~Guard() { mutex_.release(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace wperf::driver
