// SPDX-License-Identifier: BSD-3-Clause
// Explains to the user why a call into Windows or into wperf-driver.sys failed. The implementation repeats the numbers
// of winerror.h, so that it can be tested on every system.
#pragma once
#include <optional>
#include <string>

#include "abi/status.h"
#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::windows {

// The driver's own status, if the error came from the driver.
std::optional<WperfStatus> status_of_windows_error(u32 error);
// `described`: Windows' text for the error.
diag::Error open_error(u32 error, const std::string& described);
diag::Error request_error(u32 error, const std::string& described);
// The nearest errno, for diag::Error.
int nearest_errno(u32 windows_error);
// The contract's message for a machine without a driver, for all commands.
diag::Error no_driver_error(bool windowsperf_is_there);

}  // namespace wperf::windows
