// SPDX-License-Identifier: BSD-3-Clause
// Several profiles of counts as one. Pure.
#pragma once
#include <vector>

#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Means, and how much the counts differed. `runs` is not empty; the mean of one run is that run.
answers::CountProfile mean_of_runs(const std::vector<answers::CountProfile>& runs);

// From several runs, each of which counted some of the events of `plan`: all of them, in its order. Time is the
// first's.
answers::CountProfile joined_parts(const plan::CountPlan& plan, std::vector<answers::CountProfile> parts);

}  // namespace wperf::measure
