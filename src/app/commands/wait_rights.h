// SPDX-License-Identifier: BSD-3-Clause
// The advice of `waits` on Linux for a user who may not record the needed events. Checked before anything is opened:
// the kernel's own error would name an event that the user did not ask for.
#pragma once
#include "ground/diag/result.h"
#include "machine/linux_kernel/linux_device.h"
#include "model/request/request.h"

namespace wperf::commands {

// `facts` are of a machine whose scheduler's tracepoints may not be read.
diag::Result<void> check_own_switches(const linux_kernel::LinuxFacts& facts, const request::Request& request);

}  // namespace wperf::commands
