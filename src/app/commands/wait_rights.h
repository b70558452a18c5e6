// SPDX-License-Identifier: BSD-3-Clause
// The error of `waits` on Linux for a user who may not record the events that it needs. Checked before anything is
// opened, because the kernel's error would name an event that the user did not request.
#pragma once
#include "ground/diag/result.h"
#include "machine/linux_kernel/linux_device.h"
#include "model/request/request.h"

namespace wperf::commands {

// `facts` must be those of a machine whose scheduler tracepoints may not be read.
diag::Result<void> check_own_switches(const linux_kernel::LinuxFacts& facts, const request::Request& request);

}  // namespace wperf::commands
