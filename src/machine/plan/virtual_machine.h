// SPDX-License-Identifier: BSD-3-Clause
// Sampling by counters or their timer in a virtual machine: the same message from every device of Windows.
#pragma once
#include "ground/diag/result.h"

namespace wperf::plan {

// `forced`: --force-lock was given.
diag::Result<void> check_sampling_in_virtual_machine(bool is_virtual, bool forced);

// For `wperf doctor`.
inline constexpr const char* kSamplingInVirtualMachines =
    "sampling has crashed Windows on Arm in virtual machines; to sample anyway, add --force-lock";

}  // namespace wperf::plan
