// SPDX-License-Identifier: BSD-3-Clause
// Several profiles of counts as one. Pure.
#pragma once
#include <vector>

#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// The means, and how much the counts differed. `runs` must not be empty; the mean of one run is that run.
answers::CountProfile mean_of_runs(const std::vector<answers::CountProfile>& runs);

// Each run counted some of the events of `plan`. Returns all of them in the plan's order; times are those of the first
// run.
answers::CountProfile joined_parts(const plan::CountPlan& plan, std::vector<answers::CountProfile> parts);

}  // namespace wperf::measure
