// SPDX-License-Identifier: BSD-3-Clause
#include "ground/bytes/bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::bytes {
namespace {

Span bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Bytes, PartsEndWhereTheBytesDo) {
  const Span bytes = bytes_of("abcdef");
  EXPECT_EQ(slice(bytes, 2, 3).size(), 3u);
  EXPECT_EQ(slice(bytes, 4, 3).size(), 2u);
  EXPECT_TRUE(slice(bytes, 6, 1).empty());
  EXPECT_TRUE(slice(bytes, ~u64{0}, ~u64{0}).empty());
  EXPECT_EQ(from(bytes, 5).size(), 1u);
  EXPECT_EQ(View(bytes).slice(4, ~u64{0}).size(), 2u);
  EXPECT_EQ(View(bytes).from(7).size(), 0u);
}

TEST(Bytes, NumbersAreWholeOrNotThere) {
  const Span bytes = bytes_of("\x01\x02\x03\x04\x05");
  u32 number = 77;
  EXPECT_TRUE(read_at(bytes, 1, number));
  EXPECT_EQ(number, 0x05040302u);
  for (const u64 offset : {u64{2}, u64{5}, u64{6}, ~u64{0}, ~u64{0} - 3}) {
    number = 77;
    EXPECT_FALSE(read_at(bytes, offset, number)) << offset;
    EXPECT_FALSE(View(bytes).load(offset, number)) << offset;
    EXPECT_EQ(number, 77u);
  }
  EXPECT_FALSE(View(bytes).holds(5, ~u64{0}));
}

TEST(Bytes, TextsEndWithAZero) {
  using namespace std::string_view_literals;
  const Span bytes = bytes_of("ab\0cd"sv);
  EXPECT_EQ(View(bytes).text(1), "b");
  EXPECT_EQ(View(bytes).text(2), "");
  EXPECT_EQ(View(bytes).text(3), std::nullopt);
  EXPECT_EQ(View(bytes).text(0, 2), std::nullopt);
  EXPECT_EQ(View(bytes).text(~u64{0}), std::nullopt);
  EXPECT_EQ(text_in(bytes), "ab");
  EXPECT_EQ(text_in(bytes_of("cd")), "cd");
  EXPECT_EQ(text_in({}), "");
}

TEST(Bytes, ATableHasWholeItems) {
  const std::vector<u16> items = {1, 3, 5, 7};
  const Span bytes = std::as_bytes(std::span(items));
  const Table<u16> table{View(bytes.first(7))};
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.at(2), 5u);
  EXPECT_EQ(table.at(3), 0u);
  EXPECT_EQ(table.partition_point([](u16 item) { return item < 4; }), 2u);
  EXPECT_EQ(table.partition_point([](u16) { return true; }), 3u);
}

TEST(Bytes, ReaderStaysFailed) {
  const std::vector<u64> words = {1, 2, 3};
  Reader reader(std::as_bytes(std::span(words)));
  EXPECT_EQ(reader.word(), 1u);
  EXPECT_EQ(reader.words(1)[0], 2u);
  EXPECT_EQ(reader.left(), 8u);
  EXPECT_TRUE(reader.words(~u64{0} / 8).empty());
  EXPECT_FALSE(reader.sound());
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(reader.take<u8>(), 0u);
  EXPECT_TRUE(reader.bytes(1).empty());
}

TEST(Bytes, AReaderPassesTexts) {
  using namespace std::string_view_literals;
  Reader reader(bytes_of("one\0two\0three"sv));
  EXPECT_EQ(reader.text(), "one");
  EXPECT_EQ(reader.text(4), "two");
  EXPECT_TRUE(reader.sound());
  EXPECT_EQ(reader.text(), "");
  EXPECT_FALSE(reader.sound());
}

}  // namespace
}  // namespace wperf::bytes
