// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/xpress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wperf::packing {
namespace {

std::string expanded(std::vector<u8> in, usize size) {
  std::string out(size, '?');
  const usize got = expand_xpress(std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)));
  out.resize(got);
  return out;
}

// The two examples of [MS-XCA] 3.1.
TEST(Xpress, LiteralsAndARepeatedPattern) {
  std::vector<u8> letters{0x3f, 0, 0, 0};
  std::string alphabet;
  for (char c = 'a'; c <= 'z'; ++c) {
    letters.push_back(static_cast<u8>(c));
    alphabet += c;
  }
  EXPECT_EQ(expanded(letters, 26), alphabet);
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "abc";
  EXPECT_EQ(expanded({0xff, 0xff, 0xff, 0x1f, 0x61, 0x62, 0x63, 0x17, 0x00, 0x0f, 0xff, 0x26, 0x01}, 300), hundred);
}

TEST(Xpress, WhatIsCutOrReachesBackTooFarEndsIt) {
  EXPECT_EQ(expanded({0x3f, 0, 0, 0, 'a', 'b'}, 26), "ab");
  EXPECT_EQ(expanded({0, 0}, 4), "");
  EXPECT_EQ(expanded({0, 0, 0, 0x40, 'a', 0x08, 0x00}, 8), "a") << "a match that begins before the beginning";
  EXPECT_EQ(expanded({}, 3), "");
}

TEST(Xpress, NeverWritesBehindTheRoom) {
  EXPECT_EQ(expanded({0xff, 0xff, 0xff, 0x1f, 0x61, 0x62, 0x63, 0x17, 0x00, 0x0f, 0xff, 0x26, 0x01}, 7), "abcabca");
}

}  // namespace
}  // namespace wperf::packing
