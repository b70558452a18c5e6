// SPDX-License-Identifier: BSD-3-Clause
// A plan of more events than a machine counts at once, where nobody takes turns: several plans, each for a run of its
// own. Pure. Called by run_stat.
#pragma once
#include <vector>

#include "machine/plan/plan.h"

namespace wperf::plan {

// The plan itself where all fit. A group stays together; what needs no counter is in the first one.
std::vector<CountPlan> parts_of(const CountPlan& plan, u32 counted_at_once);

}  // namespace wperf::plan
