// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine, with facts that only a simulation has: its scheduler's actions and the exact counts of
// threads.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/device/driver_machine.h"
#include "sim/machine_api.h"

namespace wperf::wperf_driver {

struct SimulatedProgram {
  std::string image, command_line;
  u32 core = 0;
  u64 affinity = 0;                           // the cores on which its threads may run; 0: any core
  std::optional<std::array<int, 3>> streams;  // taken over; nullopt: the streams of this process
};

class SimulatedMachine : public device::DriverMachine {
 public:
  // See machine_api.h in sim.
  virtual diag::Result<std::unique_ptr<SimulatedMachine>> join() = 0;
  virtual diag::Result<u32> start(const SimulatedProgram& program) = 0;
  virtual bool interrupt(u32 pid) = 0;
  virtual std::optional<diag::Error> crash_of(u32 pid) = 0;
  virtual void watch_schedule(std::span<const u16> events) = 0;
  virtual std::vector<WperfSimScheduleEvent> take_schedule() = 0;
  virtual usize schedule_notes() = 0;
  virtual void unwatch_schedule() = 0;
  virtual void visit_cores(u32 process, u32 thread) = 0;
  virtual std::vector<WperfSimThreadTruth> schedule_truth() = 0;
};

// A simulated core runs some 24 million cycles a second, so with this interval even a short program has samples.
inline constexpr u32 kSimulatedCycleInterval = 24'000;
inline device::DeviceIdentity simulated_identity() {
  return {.instance_id = "ROOT\\WPERFDRV\\0000", .hardware_ids = "Root\\WPERFDRV"};
}

// The error if the program of a measurement cannot be started.
diag::Error refused_program(diag::Error error);

// The last value of `key` in "key=value,…"; nullopt if it has none.
std::optional<std::string> option_of(std::string_view options, std::string_view key);

// The settings after "sim:": "key=value,…".
diag::Result<std::unique_ptr<SimulatedMachine>> open_simulated_machine(const std::string& options);

}  // namespace wperf::wperf_driver
