// SPDX-License-Identifier: BSD-3-Clause
// The shell of driver/core in this process, and its clients. Counting state belongs to this process; all processes of
// this user share the lock (lock_file.h). Every request runs while its client has the file locked, after the clients
// that have ended were removed. Only one thread uses these classes.
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
  explicit SimulatedDriver(Machine& machine);
  ~SimulatedDriver();
  SimulatedDriver(const SimulatedDriver&) = delete;
  SimulatedDriver& operator=(const SimulatedDriver&) = delete;

  HalSim& hal() { return hal_; }

 private:
  friend class DriverClient;

  HalSim hal_;
  const driver::Rights rights_;
  driver::LockState lock_;  // the copy for the current request
  driver::Core core_;
};

class DriverClient {
 public:
  DriverClient(SimulatedDriver& driver, std::unique_ptr<LockFile> lock_file);
  ~DriverClient();  // gives the lock back
  DriverClient(const DriverClient&) = delete;
  DriverClient& operator=(const DriverClient&) = delete;

  // The counterpart of DeviceIoControl; see WperfSimApi::control.
  WperfStatus control(u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned);

 private:
  void forget_dead_clients();

  SimulatedDriver& driver_;
  std::unique_ptr<LockFile> lock_file_;
};

}  // namespace wperf::sim
