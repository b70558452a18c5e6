// SPDX-License-Identifier: BSD-3-Clause
#include "base/raw_bytes.h"

#include <gtest/gtest.h>

#include <cstring>

namespace wperf {

TEST(Bytes, CopyAndZeroTouchExactlyTheirRange) {
  char to[6] = {'a', 'b', 'c', 'd', 'e', 'f'};
  copy_bytes(to + 1, "XYZ", 3);
  EXPECT_EQ(std::memcmp(to, "aXYZef", 6), 0);
  zero_bytes(to + 2, 2);
  EXPECT_EQ(std::memcmp(to, "aX\0\0ef", 6), 0);
}

TEST(Bytes, TextFieldCutsAndKeepsItsTerminator) {
  char field[8];
  std::memset(field, '?', sizeof field);
  TextField(field).add("ab").add("cd");
  EXPECT_EQ(std::memcmp(field, "abcd\0\0\0\0", 8), 0);
  TextField(field).add("12345678").add("9");
  EXPECT_STREQ(field, "1234567");
}

}  // namespace wperf
