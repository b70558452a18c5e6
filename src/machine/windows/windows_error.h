// SPDX-License-Identifier: BSD-3-Clause
// What a failed call into Windows or into wperf-driver.sys means to the user. Holds the numbers of winerror.h itself,
// so that it is tested on every system. Called by driver_handle_win.cpp.
#pragma once
#include <optional>
#include <string>

#include "abi/status.h"
#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::windows {

// The driver's own status, where the error is one that it gave.
std::optional<WperfStatus> status_of_windows_error(u32 error);
// `described`: Windows' words for the error.
diag::Error open_error(u32 error, const std::string& described);
diag::Error request_error(u32 error, const std::string& described);
// What diag::Error carries of it.
int nearest_errno(u32 windows_error);
// The contract's words for a machine without driver, for every command.
diag::Error no_driver_error(bool windowsperf_is_there);

}  // namespace wperf::windows
