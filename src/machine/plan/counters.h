// SPDX-License-Identifier: BSD-3-Clause
// The limits for the number of events: in groups, in whole schedules and in sampling (contract 3.1, 2.5, 3.3).
#pragma once
#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// A group must fit into the free counters of its class.
diag::Result<void> check_group_size(EventClass event_class, usize size, const Capabilities& machine);

// Fails if the cores have no counters, or if the counters do not respond.
diag::Result<void> check_counters_answer(const Capabilities& machine);

// Fails if the system has units of this class that the driver does not know yet: an administrator must set them up, and
// this user is not an administrator.
diag::Result<void> check_set_up(EventClass event_class, const Capabilities& machine);

// Fails if nothing of the class can be counted.
diag::Result<void> check_class_available(EventClass event_class, const Capabilities& machine);

// The whole ring, including padding, must fit into the driver's tables.
diag::Result<void> check_schedule_size(EventClass event_class, usize size);

// Limits the number of core counters in use at the same time. Checked first against all counters, then against the free
// ones (contract 3.3).
diag::Result<void> check_sampled_events(usize size, const Capabilities& machine);

// For sampling by counters or by the timer in a virtual machine: all Windows devices give the same message. `forced`:
// --force-lock was given.
diag::Result<void> check_sampling_in_virtual_machine(bool is_virtual, bool forced);

// For `wperf doctor`.
inline constexpr const char* kSamplingInVirtualMachines =
    "sampling has crashed Windows on Arm in virtual machines; to sample anyway, add --force-lock";

}  // namespace wperf::plan
