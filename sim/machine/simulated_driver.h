// SPDX-License-Identifier: BSD-3-Clause
// The in-process shell of driver/core: one client of "the" simulated driver of this user. Counting state belongs to
// this process; all processes share the lock (lock_file.h). Every request runs in the client's turn at that file, after
// clients that died since have been forgotten. One thread uses it.
#pragma once
#include <memory>
#include <string>

#include "driver/core/core.h"
#include "sim/machine/lock_file.h"
#include "sim/machine/simulated_hal.h"
#include "sim/machine/simulated_machine.h"

namespace wperf::sim {

class SimulatedDriver {
 public:
  SimulatedDriver(Machine& machine, std::unique_ptr<LockFile> lock_file);
  ~SimulatedDriver();  // gives the lock back
  SimulatedDriver(const SimulatedDriver&) = delete;
  SimulatedDriver& operator=(const SimulatedDriver&) = delete;

  // The counterpart of DeviceIoControl; see WperfSimApi::control.
  WperfStatus control(u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned);

  HalSim& hal() { return hal_; }

 private:
  void forget_the_dead();
  bool may_sample(u32 code);

  HalSim hal_;
  const driver::Rights rights_;
  std::unique_ptr<LockFile> lock_file_;
  driver::LockState lock_;  // the copy of this request
  driver::Core core_;
};

}  // namespace wperf::sim
