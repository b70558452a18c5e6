// SPDX-License-Identifier: BSD-3-Clause
#include "ground/diag/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace wperf::diag {
namespace {

TEST(SystemError, KeepsTheNumberBesideTheWords) {
  const Error error = system_error("x.data cannot be opened", ENOENT);
  EXPECT_EQ(error.system_error, ENOENT);
  EXPECT_EQ(error.text, "x.data cannot be opened: No such file or directory");
  EXPECT_EQ(error.code, ExitCode::failed);
  EXPECT_TRUE(error.hint.empty());
}

TEST(SystemError, OtherErrorsHaveNone) {
  EXPECT_EQ(contract_error("no").system_error, 0);
  EXPECT_EQ(system_error("nobody knows why", 0).text, "nobody knows why");
}

}  // namespace
}  // namespace wperf::diag
