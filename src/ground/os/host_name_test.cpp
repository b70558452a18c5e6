// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/host_name.h"

#include <gtest/gtest.h>

namespace wperf::os {
namespace {

TEST(HostName, IsOneWord) {
  const std::string name = host_name();
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name.find_first_of(" \n\t"), std::string::npos) << name;
  EXPECT_EQ(name.find('\0'), std::string::npos) << "its end is no part of it";
}

}  // namespace
}  // namespace wperf::os
