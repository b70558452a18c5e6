// SPDX-License-Identifier: BSD-3-Clause
// The hint for a user who named a program instead of a recording.
#pragma once
#include <string>
#include <string_view>

#include "ground/diag/result.h"

namespace wperf::commands {

// `error`: why the file cannot be read as a recording. `command`: a command that runs programs, given after `--`.
// Returns the error, with a hint if the file is a program.
diag::Error with_program_hint(diag::Error error, const std::string& file, std::string_view command);

}  // namespace wperf::commands
