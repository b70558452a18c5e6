// SPDX-License-Identifier: BSD-3-Clause
// A plan with more events than a machine counts at once, on a device without rotation, becomes several plans, each for
// a separate run. Pure.
#pragma once
#include <vector>

#include "machine/plan/plan.h"

namespace wperf::plan {

// The plan itself if all events fit. A group stays together; events that need no counter are in the first plan.
std::vector<CountPlan> parts_of(const CountPlan& plan, u32 counted_at_once);

}  // namespace wperf::plan
