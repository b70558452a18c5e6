// SPDX-License-Identifier: BSD-3-Clause
#include "base/wide.h"

#include <gtest/gtest.h>

#include <random>

namespace wperf {

TEST(Wide, SquaresAgreeWithTheCompilersOwn128Bits) {
  __extension__ using Native = unsigned __int128;
  std::mt19937_64 random(7);
  Native native_sum = 0;
  Wide sum;
  for (int i = 0; i < 2000; ++i) {
    const u64 value = i == 0 ? ~u64{0} : random() >> (random() % 64);
    const Native native = Native{value} * value;
    const Wide ours = square(value);
    ASSERT_EQ(ours.low, static_cast<u64>(native)) << value;
    ASSERT_EQ(ours.high, static_cast<u64>(native >> 64)) << value;
    native_sum += native;
    add_to(sum, ours);
    ASSERT_EQ(sum.low, static_cast<u64>(native_sum));
    ASSERT_EQ(sum.high, static_cast<u64>(native_sum >> 64));
  }
}

}  // namespace wperf
