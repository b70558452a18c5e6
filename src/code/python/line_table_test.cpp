// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/line_table.h"

#include <gtest/gtest.h>

#include <array>

namespace wperf::python {
namespace {

bytes::Span bytes_in(std::span<const u8> numbers) {
  return std::as_bytes(numbers);
}

using Rows = std::vector<std::pair<u32, u32>>;

// Offset and line of each row.
Rows rows_of(const LineTable& lines) {
  Rows out;
  for (const LineTable::Row& row : lines.rows()) out.emplace_back(row.begin, row.line);
  return out;
}

TEST(LineTable, KnowsEachKindOfEntry) {
  constexpr std::array<u8, 20> table = {
      0x80 | 15 << 3 | 0,                                // no line, 1 unit
      0x80 | 10 << 3 | 1, 0,    0,                       // the same line, 2 units
      0x80 | 3 << 3 | 0,  0x12,                          // the same line, 1 unit
      0x80 | 12 << 3 | 0, 0,    0,                       // 2 lines forward
      0x80 | 13 << 3 | 0, 0x48, 0x02,                    // 68 lines forward: 6 bits, and 1 more
      0x80 | 14 << 3 | 7, 3,    0,    0x41, 0x01, 0x02,  // 1 line back, 8 units, long columns
      0x80 | 15 << 3 | 1,                                // no line
      0x80 | 11 << 3 | 0};                               // cut
  const LineTable lines(bytes_in(table), 100);
  EXPECT_EQ(lines.line_at(-2), 100u);
  EXPECT_EQ(lines.line_at(0), 100u);
  EXPECT_EQ(lines.line_at(7), 100u);
  EXPECT_EQ(lines.line_at(8), 102u);
  EXPECT_EQ(lines.line_at(10), 170u);
  EXPECT_EQ(lines.line_at(12), 169u);
  EXPECT_EQ(lines.line_at(27), 169u);
  EXPECT_EQ(lines.line_at(28), 169u) << "an instruction without a line has the one before";
  EXPECT_EQ(lines.line_at(1'000'000), 169u);
  EXPECT_EQ(lines.size(), 32u);
  EXPECT_EQ(rows_of(lines), (Rows{{2, 100}, {8, 102}, {10, 170}, {12, 169}}));
}

TEST(LineTable, EndsAtDamage) {
  const LineTable empty({}, 7);
  EXPECT_EQ(empty.line_at(0), 7u);
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_TRUE(empty.rows().empty());
  constexpr std::array<u8, 4> no_entry = {0x80 | 11 << 3, 0, 0, 0x11};
  const LineTable one(bytes_in(no_entry), 7);
  EXPECT_EQ(one.line_at(5), 8u);
  EXPECT_EQ(one.size(), 2u);
  EXPECT_EQ(rows_of(one), (Rows{{0, 8}}));
  constexpr std::array<u8, 9> endless = {0x80 | 13 << 3, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
  EXPECT_EQ(LineTable(bytes_in(endless), 7).line_at(0), 7u);
  constexpr std::array<u8, 2> before_the_first = {0x80 | 13 << 3, 0x3f};
  EXPECT_EQ(LineTable(bytes_in(before_the_first), 7).line_at(0), 7u) << "a line below 0";
}

}  // namespace
}  // namespace wperf::python
