// SPDX-License-Identifier: BSD-3-Clause
// Several counts of one plan as one: means, and how much the counts differed; or parts of what was asked for. Pure.
// Called by run_stat.
#pragma once
#include <vector>

#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Not of none. Of a single run it is that run.
answers::CountProfile mean_of_runs(const std::vector<answers::CountProfile>& runs);

// Of several runs, each of which counted some of the events of `plan`: all of them, in its order. Time is the first's.
answers::CountProfile joined_parts(const plan::CountPlan& plan, std::vector<answers::CountProfile> parts);

}  // namespace wperf::measure
