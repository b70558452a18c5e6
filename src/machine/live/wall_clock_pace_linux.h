// SPDX-License-Identifier: BSD-3-Clause
// Lets the time of a simulated machine pass with the wall clock, in steps between which its clients are answered. A
// step is shorter if the machine simulates slowly.
#pragma once
#include <chrono>

#include "machine/device/driver_machine.h"
#include "machine/live/messages.h"

namespace wperf::live {

class WallClockPace {
 public:
  // The machine must outlive the pace.
  explicit WallClockPace(wperf_driver::SimulatedMachine& machine) : machine_(machine) {}

  // Lets a step pass if one is due. Returns the milliseconds until the next one is due; 0 after a step. `watcher` sees
  // the samples in the step; it may be null. `is_awaited`: a client waits for the machine's time.
  int pass(device::SampleWatcher* watcher, bool is_awaited);
  // A program was started.
  void expect_programs() { runs_programs_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr u64 kLeastStepNs = 20'000, kMostStepNs = 1'000'000, kIdleStepNs = 20'000'000;

  void step(device::SampleWatcher* watcher, bool is_awaited);
  bool runs_programs();

  wperf_driver::SimulatedMachine& machine_;
  u64 step_ns_ = kMostStepNs;
  bool runs_programs_ = true;
  Clock::time_point looked_;
  // The machine's time that corresponds to a wall-clock time.
  u64 machine_ns_ = 0;
  Clock::time_point wall_ = Clock::now();
};

}  // namespace wperf::live
