// SPDX-License-Identifier: BSD-3-Clause
// What `waits` says on Linux to a user who may not record what it needs. Called by run_waits before anything is opened:
// the kernel's own answer would name an event that nobody asked for.
#pragma once
#include "ground/diag/result.h"
#include "machine/linux_kernel/linux_facts.h"
#include "model/request/request.h"

namespace wperf::commands {

// `facts` are of a machine whose scheduler's tracepoints may not be read.
diag::Result<void> check_own_switches(const linux_kernel::LinuxFacts& facts, const request::Request& request);

}  // namespace wperf::commands
