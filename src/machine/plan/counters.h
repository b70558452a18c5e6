// SPDX-License-Identifier: BSD-3-Clause
// How many events fit where: the limits of groups, of whole schedules and of sampling (contract 3.1,
// 2.5, 3.3).
#pragma once
#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// A group must fit into the free counters of its class.
diag::Result<void> check_group_size(EventClass event_class, usize size, const Capabilities& machine);

// Fails if the cores have no counters, or if these do not respond.
diag::Result<void> check_counters_answer(const Capabilities& machine);

// Fails if the system has units of this class that the driver does not know: their places must be given to the driver,
// and this user may not do so.
diag::Result<void> check_set_up(EventClass event_class, const Capabilities& machine);

// Fails if nothing of the class can be counted.
diag::Result<void> check_class_available(EventClass event_class, const Capabilities& machine);

// The whole ring, padding included, must fit into the driver's tables.
diag::Result<void> check_schedule_size(EventClass event_class, usize size);

// The limit of the cores' counters in use at the same time, checked first against all counters, then against the free
// ones (contract 3.3).
diag::Result<void> check_sampled_events(usize size, const Capabilities& machine);

// Sampling by counters or their timer in a virtual machine: the same message from every device of Windows. `forced`:
// --force-lock was given.
diag::Result<void> check_sampling_in_virtual_machine(bool is_virtual, bool forced);

// For `wperf doctor`.
inline constexpr const char* kSamplingInVirtualMachines =
    "sampling has crashed Windows on Arm in virtual machines; to sample anyway, add --force-lock";

}  // namespace wperf::plan
