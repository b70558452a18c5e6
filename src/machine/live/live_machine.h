// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine that stays on: a process of this user that several others reach by a socket in the user's runtime
// folder. Each of them is one client of its driver. Linux only.
#pragma once
#include <memory>
#include <string>

#include "ground/diag/result.h"
#include "machine/wperf_driver/sim_machine.h"

namespace wperf::live {

class LiveMachine : public wperf_driver::SimulatedMachine {
 public:
  virtual u32 process_of_machine() const = 0;
  virtual const std::string& options() const = 0;  // as it was booted with
  // As start(), but at once and, if `detached`, not ended together with this client.
  virtual diag::Result<u32> run(const wperf_driver::SimulatedProgram& program, bool detached) = 0;
  // The machine ends with all its programs.
  virtual diag::Result<void> stop() = 0;
};

// Returns the machine that is up, or null.
diag::Result<std::unique_ptr<LiveMachine>> find_machine();
// Boots a machine in a new process. Returns when it takes clients. `options`: the settings after "sim:".
diag::Result<std::unique_ptr<LiveMachine>> boot_machine(const std::string& options);

}  // namespace wperf::live
