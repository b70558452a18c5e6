// SPDX-License-Identifier: BSD-3-Clause
// Ranges of cores as the user typed them → the cores of this machine.
#pragma once
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/core_list.h"

namespace wperf::plan {

// Ascending, no duplicates. The error for a missing core names `option`.
diag::Result<std::vector<u32>> expand_cores(const std::vector<request::CoreRange>& ranges, u32 core_count,
                                            const request::CoreOption& option);

}  // namespace wperf::plan
