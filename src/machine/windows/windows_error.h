// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a failed call into Windows or into wperf-driver.sys for the user. Contains the numbers of winerror.h,
// so that it is tested on every system.
#pragma once
#include <optional>
#include <string>

#include "abi/status.h"
#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::windows {

// The driver's own status, if the error came from it.
std::optional<WperfStatus> status_of_windows_error(u32 error);
// `described`: Windows' words for the error.
diag::Error open_error(u32 error, const std::string& described);
diag::Error request_error(u32 error, const std::string& described);
// The errno for diag::Error.
int nearest_errno(u32 windows_error);
// The contract's words for a machine without driver, for every command.
diag::Error no_driver_error(bool windowsperf_is_there);

}  // namespace wperf::windows
