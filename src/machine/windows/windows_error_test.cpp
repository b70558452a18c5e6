// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/windows_error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "abi/device_interface.h"

namespace wperf::windows {
namespace {

TEST(WindowsError, TheDriversStatusComesThroughWindows) {
  for (const WperfStatus status : {WPERF_UNKNOWN_CODE, WPERF_LOCK_LOST, WPERF_HARDWARE_FAILED}) {
    EXPECT_EQ(status_of_windows_error(WPERF_NT_STATUS(status)), status);
  }
}

TEST(WindowsError, WindowsOwnErrorsAreNotTakenForTheDrivers) {
  for (const u32 error : {0u, 5u, 0x0057u, 0xC0000001u, 0xE0560001u, 0x20570001u}) {
    EXPECT_EQ(status_of_windows_error(error), std::nullopt) << error;
  }
}

TEST(WindowsError, RefusedUserLearnsWhoMayOpenTheDriver) {
  const diag::Error error = open_error(5, "Access is denied");
  EXPECT_EQ(error.code, diag::ExitCode::no_device);
  EXPECT_NE(error.text.find("Performance Log Users"), std::string::npos);
  EXPECT_NE(error.hint.find("administrator"), std::string::npos);
  EXPECT_EQ(error.system_error, EACCES);
}

TEST(WindowsError, CarriesTheNearestErrno) {
  EXPECT_EQ(request_error(5, "").system_error, EACCES);
  EXPECT_EQ(request_error(1617, "").system_error, ENODEV);
  EXPECT_EQ(request_error(995, "").system_error, EINTR);
  EXPECT_EQ(open_error(2, "").system_error, ENOENT);
  EXPECT_EQ(open_error(1234, "").system_error, EIO);
}

TEST(WindowsError, OtherErrorsKeepWindowsWords) {
  EXPECT_NE(open_error(1234, "Something odd").text.find("Something odd"), std::string::npos);
  EXPECT_NE(request_error(1234, "Something odd").text.find("Something odd"), std::string::npos);
  EXPECT_NE(request_error(1617, "The device has been removed").text.find("removed"), std::string::npos);
  EXPECT_NE(request_error(995, "aborted").text.find("Ctrl-C"), std::string::npos);
}

TEST(WindowsError, NoDriverSpeaksTheContractsWords) {
  const diag::Error error = no_driver_error(false);
  EXPECT_TRUE(error.verbatim);
  EXPECT_EQ(error.text, "error: No active device interfaces found.");
  EXPECT_EQ(static_cast<int>(error.code), 1);
  EXPECT_FALSE(error.hint.empty());
}

TEST(WindowsError, DriverOfWindowsPerfDoesNotStandForOurs) {
  const diag::Error error = no_driver_error(true);
  EXPECT_EQ(error.text, no_driver_error(false).text);
  EXPECT_NE(error.hint.find("WindowsPerf"), std::string::npos);
  EXPECT_NE(error.hint.find("wperf-devgen install"), std::string::npos);
}

}  // namespace
}  // namespace wperf::windows
