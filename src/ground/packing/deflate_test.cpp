// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/deflate.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace wperf::packing {
namespace {

std::string inflated(std::string_view packed) {
  constexpr usize kInflatedLimit = 64 << 20;
  std::vector<std::byte> out;
  EXPECT_TRUE(packing::inflate(std::as_bytes(std::span(packed)), out, kInflatedLimit));
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

// Numbers that rarely repeat, so that even the packed text is longer than a block.
std::string long_text() {
  std::string text;
  u32 number = 1;
  while (text.size() < 300'000) {
    number = number * 1664525 + 1013904223;
    text += std::to_string(number);
  }
  return text;
}

TEST(Deflate, GivesBackWhatWentIn) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(200'000, 'x'), long_text()}) {
    for (const Effort effort : {Effort::fast, Effort::usual, Effort::best}) {
      EXPECT_TRUE(inflated(deflated(text, Form::raw, effort)) == text);
    }
  }
}

TEST(Deflate, PiecesAreOneStream) {
  const std::string text = long_text();
  std::string packed;
  Deflater deflater(Form::raw, Effort::usual, [&](std::string_view piece) { packed += piece; });
  for (usize i = 0; i < text.size(); i += 777) deflater.add(std::string_view(text).substr(i, 777));
  deflater.finish();
  EXPECT_TRUE(inflated(packed) == text);
}

TEST(Deflate, GzipHasItsEnds) {
  const std::string packed = deflated("123456789", Form::gzip);
  ASSERT_GT(packed.size(), 18U);
  EXPECT_EQ(packed.substr(0, 3), "\x1f\x8b\x08");
  // The CRC of RFC 1952, and the size.
  EXPECT_EQ(packed.substr(packed.size() - 8), std::string_view("\x26\x39\xf4\xcb\x09\0\0\0", 8));
  EXPECT_EQ(inflated(std::string_view(packed).substr(10, packed.size() - 18)), "123456789");
}

}  // namespace
}  // namespace wperf::packing
