// SPDX-License-Identifier: BSD-3-Clause
// Functions whose name only one side has: perhaps they have another name on the other side, because the linker folded
// equal code into one, or because they were renamed.
#pragma once
#include <span>

#include "analysis/compare/matching.h"

namespace wperf::compare {

// Joins units that are one function. Opens files for modules that have functions of only one side, with enough samples.
void match_by_code(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open,
                   MatchedUnits& matched);

}  // namespace wperf::compare
