// SPDX-License-Identifier: BSD-3-Clause
// The files of code of two builds, opened again for a comparison: where functions have another name, their code tells.
// Called by compared_output.
#pragma once
#include "analysis/compare/function_code.h"
#include "model/request/request.h"

namespace wperf::compare {

enum class FileDetail : u8 { names, lines };  // lines take longer

// Looks where the names of the recordings came from, too: beside the recording's paths, in --symbol-path.
compare::OpenBuildFile code_of_builds(const request::Request& request, FileDetail detail);

}  // namespace wperf::compare
