// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kept_pieces.h"

#include <gtest/gtest.h>

namespace wperf::pipeline {
namespace {

std::vector<std::byte> bytes_of(u32 number) {
  return std::vector<std::byte>(100 + number % 7, static_cast<std::byte>(number));
}

TEST(KeptPieces, ComeBackInTheirOrderWhereverTheyWereKept) {
  constexpr u32 kPieces = 500;
  for (const usize room : {usize{0}, usize{1000}, usize{1} << 20}) {
    KeptPieces kept(room);
    for (u32 number = 0; number < kPieces; ++number) {
      const std::vector<std::byte> bytes = bytes_of(number);
      kept.keep({.core = number % 3, .after_gap = number == 9, .buffer_address = number * 64, .bytes = bytes});
    }
    for (u32 round = 0; round < 2; ++round) {
      u32 number = 0;
      const auto done = kept.replay([&](const raw::SpePiece& piece) {
        const std::vector<std::byte> bytes = bytes_of(number);
        EXPECT_TRUE(std::equal(piece.bytes.begin(), piece.bytes.end(), bytes.begin(), bytes.end())) << number;
        EXPECT_EQ(piece.core, number % 3);
        EXPECT_EQ(piece.after_gap, number == 9);
        EXPECT_EQ(piece.buffer_address, number * 64);
        ++number;
      });
      EXPECT_TRUE(done.has_value());
      EXPECT_EQ(number, kPieces);
    }
  }
}

}  // namespace
}  // namespace wperf::pipeline
