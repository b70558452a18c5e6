// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "machine/devices/devices.h"

namespace wperf::devices {
namespace {

TEST(OpenDevice, UnknownNamesAreUsageErrors) {
  const auto device = open_device("nonsense:x=1");
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code, diag::ExitCode::usage);
}

}  // namespace
}  // namespace wperf::devices
