// SPDX-License-Identifier: BSD-3-Clause
// Where the functions that a gate names begin in their sources, in the build after: for annotations of the source.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/gate.h"

namespace wperf::compare {

// after: the compared runs. Fills Verdict::source of those that did not pass, as far as files have it.
void find_sources(const Comparison& comparison, std::span<const RunCosts> after, const OpenBuildFile& open,
                  std::vector<Verdict>& verdicts);

}  // namespace wperf::compare
