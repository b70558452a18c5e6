// SPDX-License-Identifier: BSD-3-Clause
#include "base/bits.h"

#include <gtest/gtest.h>

namespace wperf {

TEST(Bits, FieldsAreCutWhereTheyLie) {
  EXPECT_EQ(bit_field(0x1234'5678'9abc'def0, 4, 8), 0xefu);
  EXPECT_EQ(bit_field(0x8000'0000'0000'0000, 63, 1), 1u);
  EXPECT_EQ(bit_field(~u64{0}, 0, 64), ~u64{0});
  EXPECT_EQ(bit_field(0x30 << 11, 11, 5), 0x10u) << "bits above the field must not leak in";
}

TEST(Bits, LowBitsReachTheWholeWord) {
  EXPECT_EQ(low_bits(0), 0u);
  EXPECT_EQ(low_bits(6), 0x3fu);
  EXPECT_EQ(low_bits(31), 0x7fff'ffffu);
  EXPECT_EQ(low_bits(32), 0xffff'ffffu);
}

TEST(Bits, OnesAreCounted) {
  EXPECT_EQ(count_ones(0), 0u);
  EXPECT_EQ(count_ones(0x8000'0000'0000'0001), 2u);
  EXPECT_EQ(count_ones(~u64{0}), 64u);
}

}  // namespace wperf
