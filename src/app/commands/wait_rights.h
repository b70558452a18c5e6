// SPDX-License-Identifier: BSD-3-Clause
// The error of `waits` on Linux if the user is not allowed to record the events that it needs. Checked before any event
// is opened, because the kernel's error would name an event that the user did not request.
#pragma once
#include "ground/diag/result.h"
#include "machine/linux_kernel/linux_device.h"
#include "model/request/request.h"

namespace wperf::commands {

// `facts` must describe a machine on which the user may not read scheduler tracepoints.
diag::Result<void> check_own_switches(const linux_kernel::LinuxFacts& facts, const request::Request& request);

}  // namespace wperf::commands
