// SPDX-License-Identifier: BSD-3-Clause
#include "base/ascii.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf {

TEST(Ascii, OnlyTheCapitalsOfAsciiChange) {
  for (int value = -128; value < 128; ++value) {
    const char c = static_cast<char>(value);
    EXPECT_EQ(ascii_lower(c), value >= 65 && value <= 90 ? static_cast<char>(value + 32) : c) << value;
  }
}

TEST(Ascii, OfATextEachCapitalChanges) {
  EXPECT_EQ(in_lower_case(std::string("L1D_Cache:\xc4Z")), "l1d_cache:\xc4z");
  EXPECT_EQ(in_lower_case(std::string()), "");
}

}  // namespace wperf
