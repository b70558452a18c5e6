// SPDX-License-Identifier: BSD-3-Clause
// Groups and single events → the ring of one class, so that every group is counted within one time slot (contract 4.1).
#pragma once
#include <vector>

#include "base/ints.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// `counters` is F, at least 1; no group is larger than it. Without groups the single events are returned unchanged.
std::vector<Entry> pad_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles, u32 counters);

}  // namespace wperf::plan
