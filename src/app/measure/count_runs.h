// SPDX-License-Identifier: BSD-3-Clause
// Combines several profiles of counts into one. Pure.
#pragma once
#include <vector>

#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Returns the mean counts, and how much the counts differed. `runs` must not be empty; the mean of one run is that run.
answers::CountProfile mean_of_runs(const std::vector<answers::CountProfile>& runs);

// Each part counted some of the events of `plan`. Returns all counts in the plan's order, with the times of the first
// part.
answers::CountProfile joined_parts(const plan::CountPlan& plan, std::vector<answers::CountProfile> parts);

}  // namespace wperf::measure
