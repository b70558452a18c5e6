// SPDX-License-Identifier: BSD-3-Clause
// Which events are counted at the same time. Pure.
#pragma once
#include <vector>

#include "base/ints.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// A plan with more events than a machine counts at once, on a device without rotation, becomes several plans, each for
// a separate run. The plan itself if all events fit. A group stays together; events that need no counter are in the
// first plan.
std::vector<CountPlan> parts_of(const CountPlan& plan, u32 counted_at_once);

// Groups and single events → the ring of one class, so that every group is counted within one time slot (contract 4.1).
// `counters` is F, at least 1; no group is larger than it. Without groups the single events are returned unchanged.
std::vector<Entry> pad_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles, u32 counters);

}  // namespace wperf::plan
