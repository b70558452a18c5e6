// SPDX-License-Identifier: BSD-3-Clause
// Functions that only one side has by name: perhaps they have another name on the other side, where the linker folded
// equal code into one, or were renamed. Called by matching.
#pragma once
#include <span>

#include "analysis/compare/matching.h"

namespace wperf::compare {

// Joins units that are one function. Files are opened for modules that have functions of one side, and enough samples.
void match_by_code(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open,
                   MatchedUnits& matched);

}  // namespace wperf::compare
