// SPDX-License-Identifier: BSD-3-Clause
// The files of code of two builds, opened again for a comparison: functions with another name are matched by their
// code.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/gate.h"
#include "analysis/compare/matching.h"
#include "code/modules/module_files.h"

namespace wperf::compare {

enum class FileDetail : u8 { names, lines };  // lines take longer

// Searches the same places as for the names of the recordings: the recordings' paths and --symbol-path.
compare::OpenBuildFile code_of_builds(const modules::SymbolOptions& symbols, FileDetail detail);

// Where the functions that a gate names begin in their sources, for annotations. `after`: the compared runs. Fills
// Verdict::source of those that did not pass, as far as files have it.
void find_sources(const Comparison& comparison, std::span<const RunCosts> after, const OpenBuildFile& open,
                  std::vector<Verdict>& verdicts);

}  // namespace wperf::compare
