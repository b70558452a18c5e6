// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/windows_error.h"

#include <cerrno>

#include "abi/device_interface.h"

namespace wperf::windows {
namespace {

constexpr u32 kFileNotFound = 2, kPathNotFound = 3;
constexpr u32 kAccessDenied = 5;
constexpr u32 kBadCommand = 22;
constexpr u32 kGenFailure = 31;
constexpr u32 kNotSupported = 50;
constexpr u32 kDevNotExist = 55;
constexpr u32 kOperationAborted = 995;
constexpr u32 kDeviceRemoved = 1617;

}  // namespace

std::optional<WperfStatus> status_of_windows_error(u32 error) {
  if (!WPERF_IS_NT_STATUS(error)) return std::nullopt;
  return WPERF_STATUS_OF_NT(error);
}

diag::Error no_driver_error(bool windowsperf_is_there) {
  return {
      .text = "error: No active device interfaces found.",
      .hint =
          windowsperf_is_there
              ? "the driver of Arm's WindowsPerf is installed; use it with --device windowsperf, or additionally "
                "install wperf's own driver with `wperf-devgen install` as administrator"
              : "install the driver with `wperf-devgen install` as administrator; `wperf doctor` shows what is missing",
      .code = diag::ExitCode::failed,
      .verbatim = true};
}

int nearest_errno(u32 windows_error) {
  switch (windows_error) {
    case kFileNotFound:
    case kPathNotFound:
      return ENOENT;
    case kAccessDenied:
      return EACCES;
    case kOperationAborted:
      return EINTR;
    case kBadCommand:
    case kDevNotExist:
    case kGenFailure:
    case kDeviceRemoved:
      return ENODEV;
    default:
      return EIO;
  }
}

diag::Error open_error(u32 error, const std::string& described) {
  if (error == kAccessDenied) {
    return {.text =
                "this user may not open wperf-driver: only administrators and members of the group Performance Log "
                "Users may",
            .hint =
                "run wperf in a terminal opened as administrator, or have an administrator add you with `net "
                "localgroup \"Performance Log Users\" NAME /add` and sign in again",
            .code = diag::ExitCode::no_device,
            .system_error = EACCES};
  }
  return {.text = "cannot open wperf-driver: " + described,
          .hint = "`wperf doctor` shows more",
          .code = diag::ExitCode::no_device,
          .system_error = nearest_errno(error)};
}

namespace {

diag::Error meaning_of_request_error(u32 error, const std::string& described) {
  switch (error) {
    case kOperationAborted:
      return {.text = "the driver did not answer, and its request was cancelled after Ctrl-C", .hint = {}};
    case kAccessDenied:
      return {.text = "Windows refused the request to wperf-driver because of missing rights",
              .hint = "run wperf in a terminal opened as administrator"};
    case kBadCommand:
    case kDevNotExist:
    case kGenFailure:
    case kDeviceRemoved:
      return {.text = "wperf-driver is gone: " + described,
              .hint = "if it was uninstalled or updated meanwhile, run the command again",
              .code = diag::ExitCode::no_device};
    case kNotSupported:
      return {.text = "another driver answers as wperf-driver: " + described,
              .hint = "install the driver that came with this wperf"};
    default:
      return {.text = "the request to wperf-driver failed: " + described, .hint = {}};
  }
}

}  // namespace

diag::Error request_error(u32 error, const std::string& described) {
  diag::Error refused = meaning_of_request_error(error, described);
  refused.system_error = nearest_errno(error);
  return refused;
}

}  // namespace wperf::windows
