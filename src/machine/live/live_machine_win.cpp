// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/live_machine.h"

namespace wperf::live {

diag::Result<std::unique_ptr<LiveMachine>> find_machine() {
  return std::unique_ptr<LiveMachine>();
}

diag::Result<std::unique_ptr<LiveMachine>> boot_machine(const std::string& /*options*/) {
  return diag::Error{.text = "the simulated machine needs Linux",
                     .hint = "on Windows on Arm, wperf measures the machine itself",
                     .code = diag::ExitCode::no_device};
}

}  // namespace wperf::live
