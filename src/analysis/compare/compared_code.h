// SPDX-License-Identifier: BSD-3-Clause
// The files of code of two builds, opened again for a comparison: functions with another name are matched by their
// code.
#pragma once
#include "analysis/compare/function_code.h"
#include "code/modules/module_files.h"

namespace wperf::compare {

enum class FileDetail : u8 { names, lines };  // lines take longer

// Searches the same places as for the names of the recordings: the recordings' paths and --symbol-path.
compare::OpenBuildFile code_of_builds(const modules::SymbolOptions& symbols, FileDetail detail);

}  // namespace wperf::compare
