// SPDX-License-Identifier: BSD-3-Clause
// The hint for a program that was given in the place of a recording.
#pragma once
#include <string>
#include <string_view>

#include "ground/diag/result.h"

namespace wperf::commands {

// `error`: why the file cannot be read as a recording. `command`: runs programs after `--`. Returns the error, with the
// hint if the file is a program.
diag::Error with_program_hint(diag::Error error, const std::string& file, std::string_view command);

}  // namespace wperf::commands
