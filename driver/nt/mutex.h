// SPDX-License-Identifier: BSD-3-Clause
// Mutual exclusion that leaves its holder at PASSIVE_LEVEL (a fast mutex would raise it to APC_LEVEL, where most calls
// of the driver are not allowed). A process cannot suspend or end its thread while the thread holds the mutex. Windows
// knows the holder, so it can raise the holder's priority while others wait. Not recursive. IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::driver {

class Mutex {
 public:
  Mutex() { static_cast<void>(ExInitializeResourceLite(&resource_)); }  // it always succeeds
  ~Mutex() { static_cast<void>(ExDeleteResourceLite(&resource_)); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void acquire() {
    KeEnterCriticalRegion();
    static_cast<void>(ExAcquireResourceExclusiveLite(&resource_, TRUE));
  }
  void release() {
    ExReleaseResourceLite(&resource_);
    KeLeaveCriticalRegion();
  }

 private:
  ERESOURCE resource_;
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
