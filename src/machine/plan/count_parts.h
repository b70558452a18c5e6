// SPDX-License-Identifier: BSD-3-Clause
// Decides which events are counted at the same time. Pure.
#pragma once
#include <vector>

#include "base/ints.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// For devices without rotation: a plan with more events than the machine counts at once becomes several plans, each for
// a separate run. If all events fit, returns the plan itself. Groups stay together; events that need no counter are in
// the first plan.
std::vector<CountPlan> parts_of(const CountPlan& plan, u32 counted_at_once);

// Arranges groups and single events in the ring of one class so that every group is counted within one time slot
// (contract 4.1). `counters` is F; it is at least 1, and no group is larger. Without groups the single events are
// returned unchanged.
std::vector<Entry> pad_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles, u32 counters);

}  // namespace wperf::plan
