// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/virtual_machine.h"

namespace wperf::plan {

diag::Result<void> check_sampling_in_virtual_machine(bool is_virtual, bool forced) {
  if (!is_virtual || forced) return {};
  return diag::Error{.text = "this Windows runs in a virtual machine, where sampling has crashed Windows on Arm",
                     .hint = "to sample anyway, save your work and add --force-lock",
                     .code = diag::ExitCode::no_device};
}

}  // namespace wperf::plan
