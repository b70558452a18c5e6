// SPDX-License-Identifier: BSD-3-Clause
// Reopens the code files of two builds during a comparison, to match renamed functions by their code.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/gate.h"
#include "analysis/compare/matching.h"
#include "code/modules/module_files.h"

namespace wperf::compare {

enum class FileDetail : u8 { names, lines };  // reading lines takes longer

// Searches the same places as for names: the recordings' paths and --symbol-path.
compare::OpenBuildFile code_of_builds(const modules::SymbolOptions& symbols, FileDetail detail);

// For annotations: fills Verdict::source of the verdicts that did not pass with the source line on which the function
// begins, if the file has line information. `after`: the runs of the new build.
void find_sources(const Comparison& comparison, std::span<const RunCosts> after, const OpenBuildFile& open,
                  std::vector<Verdict>& verdicts);

}  // namespace wperf::compare
