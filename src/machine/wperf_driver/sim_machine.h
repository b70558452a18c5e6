// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine, with data that only a simulation has: its scheduler's actions and the true counts of threads.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/device/driver_machine.h"
#include "sim/machine_api.h"

namespace wperf::wperf_driver {

class SimulatedMachine : public device::DriverMachine {
 public:
  // See machine_api.h of sim.
  virtual void watch_schedule(std::span<const u16> events) = 0;
  virtual std::vector<WperfSimScheduleEvent> take_schedule() = 0;
  virtual void visit_cores(u32 process, u32 thread) = 0;
  virtual std::vector<WperfSimThreadTruth> schedule_truth() = 0;
};

// The settings after "sim:": "key=value,…".
diag::Result<std::unique_ptr<SimulatedMachine>> open_simulated_machine(const std::string& options);

}  // namespace wperf::wperf_driver
