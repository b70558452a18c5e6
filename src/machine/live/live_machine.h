// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine that stays on: a process of this user, which other processes reach through a socket in the user's
// runtime folder. Each of them is a client of its driver. Linux only.
#pragma once
#include <memory>
#include <string>

#include "ground/diag/result.h"
#include "machine/wperf_driver/sim_machine.h"

namespace wperf::live {

class LiveMachine : public wperf_driver::SimulatedMachine {
 public:
  virtual u32 process_of_machine() const = 0;
  virtual const std::string& options() const = 0;  // the options that it was booted with
  // Like start(), but the program starts immediately and, if `detached`, does not end together with this client.
  virtual diag::Result<u32> run(const wperf_driver::SimulatedProgram& program, bool detached) = 0;
  // Ends the machine and all its programs.
  virtual diag::Result<void> stop() = 0;
};

// Returns the machine that is on, or null.
diag::Result<std::unique_ptr<LiveMachine>> find_machine();
// Boots a machine in a new process. Returns when the machine accepts clients. `options`: the settings after "sim:".
diag::Result<std::unique_ptr<LiveMachine>> boot_machine(const std::string& options);

}  // namespace wperf::live
