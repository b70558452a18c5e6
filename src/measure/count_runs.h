// SPDX-License-Identifier: BSD-3-Clause
// Several counts of one plan as one: means, and how much the counts differed. Pure. Called by run_stat for -r.
#pragma once
#include <vector>

#include "profile/count_profile.h"

namespace wperf::measure {

// Not of none. Of a single run it is that run.
profile::CountProfile mean_of_runs(const std::vector<profile::CountProfile>& runs);

}  // namespace wperf::measure
