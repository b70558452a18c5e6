// SPDX-License-Identifier: BSD-3-Clause
// Where the functions that a gate names begin in their sources, as the build after has them: for annotations beside the
// code. Called by compared_output.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/gate.h"

namespace wperf::compare {

// after: the runs that were compared. Fills Verdict::source of those that did not pass, as far as files tell.
void find_sources(const Comparison& comparison, std::span<const RunCosts> after, const OpenBuildFile& open,
                  std::vector<Verdict>& verdicts);

}  // namespace wperf::compare
