// SPDX-License-Identifier: BSD-3-Clause
// How many events fit where: the limits of groups, of whole schedules and of sampling (contract
// 3.1, 2.5, 3.3).
#pragma once
#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// A group must fit the free counters of its class.
diag::Result<void> check_group_size(EventClass event_class, usize size, const Capabilities& machine);

// The cores' counters answer, if they have any.
diag::Result<void> check_counters_answer(const Capabilities& machine);

// Fails if the system has units of this class and the driver does not know them: the driver must be given their places,
// and this user may not do so.
diag::Result<void> check_set_up(EventClass event_class, const Capabilities& machine);

// Anything of the class can be counted at all.
diag::Result<void> check_class_available(EventClass event_class, const Capabilities& machine);

// The whole ring, padding included, fits the driver's tables.
diag::Result<void> check_schedule_size(EventClass event_class, usize size);

// At most so many counters of the cores at the same time: checked against all counters, then against the free ones
// (contract 3.3).
diag::Result<void> check_sampled_events(usize size, const Capabilities& machine);

}  // namespace wperf::plan
