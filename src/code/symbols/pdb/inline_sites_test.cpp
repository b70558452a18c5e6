// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/inline_sites.h"

#include <gtest/gtest.h>

#include "code/symbols/pdb/pdb_builder_test.h"

namespace wperf::symbols::pdb {
namespace {

// Operations and operands in the format's packed form.
std::string annotations(const std::vector<u32>& numbers) {
  Out out;
  for (const u32 number : numbers) {
    if (number < 0x80) {
      out.put(static_cast<u8>(number));
    } else if (number < 0x4000) {
      out.put(static_cast<u8>(0x80 | number >> 8)).put(static_cast<u8>(number));
    } else {
      out.put(static_cast<u8>(0xc0 | number >> 24)).put(static_cast<u8>(number >> 16));
      out.put(static_cast<u8>(number >> 8)).put(static_cast<u8>(number));
    }
  }
  return out.bytes();
}

constexpr u32 op(Annotation operation) {
  return static_cast<u32>(operation);
}
constexpr u32 plus(u32 lines) {
  return lines << 1;
}
constexpr u32 minus(u32 lines) {
  return lines << 1 | 1;
}

// The line offset at each code offset in [0, size); '.' if the site does not cover it.
std::string line_offsets(const std::vector<u32>& numbers, u32 size) {
  const std::string bytes = annotations(numbers);
  std::string result;
  for (u32 offset = 0; offset < size; ++offset) {
    const auto site = run_annotations(bytes::View(as_file(bytes)), 1, offset);
    result += site.has_value() ? static_cast<char>('a' + site->line_offset) : '.';
  }
  return result;
}

constexpr u32 kOffset = op(Annotation::change_code_offset);
constexpr u32 kLength = op(Annotation::change_code_length);
constexpr u32 kLine = op(Annotation::change_line_offset);
constexpr u32 kBoth = op(Annotation::change_code_offset_and_line_offset);
constexpr u32 kLengthAndOffset = op(Annotation::change_code_length_and_code_offset);

TEST(InlineSites, piece_ends_where_the_next_one_begins_or_at_its_length) {
  EXPECT_EQ(line_offsets({kOffset, 2, kLine, plus(1), kOffset, 3, kLength, 2}, 10), "..aaabb...");
}

TEST(InlineSites, offset_after_a_length_counts_from_the_end_of_the_piece) {
  EXPECT_EQ(line_offsets({kOffset, 1, kLength, 2, kLine, plus(2), kOffset, 3, kLength, 1}, 10), ".aa...c...");
}

TEST(InlineSites, offset_after_length_and_offset_counts_from_the_begin_of_the_piece) {
  EXPECT_EQ(line_offsets({kLengthAndOffset, 2, 1, kLine, plus(1), kLengthAndOffset, 1, 4}, 10), ".aa..b....");
}

TEST(InlineSites, length_and_offset_ends_the_piece_before) {
  EXPECT_EQ(line_offsets({kBoth, 0, kLine, plus(1), kLengthAndOffset, 2, 3}, 8), "aaabb...");
}

TEST(InlineSites, offset_and_line_change_together) {
  EXPECT_EQ(line_offsets({kBoth, plus(3) << 4 | 2, kBoth, minus(1) << 4 | 1, kLength, 2}, 8), "..dcc...");
}

TEST(InlineSites, line_change_without_code_waits_for_the_next_piece) {
  EXPECT_EQ(line_offsets({kOffset, 1, kLine, plus(1), kLine, plus(1), kOffset, 2, kLength, 1}, 6), ".aac..");
}

TEST(InlineSites, absolute_code_offset) {
  EXPECT_EQ(line_offsets({kOffset, 5, kLength, 1, op(Annotation::code_offset), 2, kLength, 2}, 8), "..aa.a..");
}

TEST(InlineSites, pieces_in_another_part_of_the_code_are_not_here) {
  const u32 base = op(Annotation::change_code_offset_base);
  EXPECT_EQ(line_offsets({kOffset, 1, kLength, 1, base, 1, kOffset, 1, kLength, 2}, 8), ".a......");
}

TEST(InlineSites, columns_and_kinds_change_nothing) {
  EXPECT_EQ(line_offsets({op(Annotation::change_column_start), 9, op(Annotation::change_column_end_delta), 3, kOffset,
                          1, op(Annotation::change_range_kind), 1, op(Annotation::change_line_end_delta), 4,
                          op(Annotation::change_column_end), 7, kLength, 2},
                         5),
            ".aa..");
}

TEST(InlineSites, last_piece_without_an_end_covers_nothing) {
  EXPECT_EQ(line_offsets({kOffset, 1}, 4), "....");
}

TEST(InlineSites, numbers_of_two_and_four_bytes) {
  const std::string bytes = annotations({kOffset, 0x1234, kLine, plus(0x1000), kLength, 0x12345});
  EXPECT_FALSE(run_annotations(bytes::View(as_file(bytes)), 1, 0x1233).has_value());
  EXPECT_TRUE(run_annotations(bytes::View(as_file(bytes)), 1, 0x1234 + 0x12344).has_value());
  EXPECT_FALSE(run_annotations(bytes::View(as_file(bytes)), 1, 0x1234 + 0x12345).has_value());
}

TEST(InlineSites, file_changes_with_the_next_piece) {
  const std::string bytes = annotations(
      {kOffset, 1, op(Annotation::change_file), 24, kOffset, 1, kLength, 1, op(Annotation::change_file), 8});
  const auto first = run_annotations(bytes::View(as_file(bytes)), 7, 1);
  const auto second = run_annotations(bytes::View(as_file(bytes)), 7, 2);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->inlinee, 7U);
  EXPECT_FALSE(first->has_file);
  EXPECT_TRUE(second->has_file);
  EXPECT_EQ(second->file, 24U);
}

TEST(InlineSites, misspelt_number_and_missing_operand_end_the_run) {
  EXPECT_FALSE(run_annotations(bytes::View(as_file("\x03\xff\x04\x04")), 1, 0).has_value());
  EXPECT_FALSE(run_annotations(bytes::View(as_file("\x03\x01\x0c\x02")), 1, 40).has_value());
  EXPECT_FALSE(run_annotations(bytes::View(as_file("")), 1, 0).has_value());
}

class Scopes : public ::testing::Test {
 protected:
  // The inlinees at `offset`, outermost first.
  std::vector<u32> at(u32 offset) const {
    Procedure procedure;
    procedure.body = body_;
    procedure.body_end = static_cast<u32>(compiland_.symbols().size());
    std::vector<InlineSite> sites;
    find_inline_sites(bytes::View(as_file(compiland_.symbols())), procedure, offset, sites);
    std::vector<u32> result;
    for (const InlineSite& site : sites) result.push_back(site.inlinee);
    return result;
  }
  u32 begin(u32 inlinee, u32 offset, u32 length, u16 kind = S_INLINESITE) {
    return compiland_.begin_inline_site(inlinee, annotations({kOffset, offset, kLength, length, 0}), kind);
  }
  void end(u32 site) { compiland_.end_scope(site, S_INLINESITE_END); }

  CompilandBuilder compiland_{"a.obj"};
  u32 body_ = static_cast<u32>(compiland_.symbols().size());
};

TEST_F(Scopes, nest) {
  const u32 outer = begin(1, 0, 10);
  const u32 first = begin(2, 2, 2);
  end(first);
  compiland_.record(0x1103, Out().put(u32{0}));
  const u32 second = begin(3, 4, 4, S_INLINESITE2);
  const u32 inner = begin(4, 5, 1);
  end(inner);
  end(second);
  end(outer);
  const u32 other = begin(5, 20, 4);
  end(other);
  EXPECT_EQ(at(0), std::vector<u32>({1}));
  EXPECT_EQ(at(3), std::vector<u32>({1, 2}));
  EXPECT_EQ(at(5), std::vector<u32>({1, 3, 4}));
  EXPECT_EQ(at(6), std::vector<u32>({1, 3}));
  EXPECT_EQ(at(12), std::vector<u32>());
  EXPECT_EQ(at(20), std::vector<u32>({5}));
}

TEST_F(Scopes, survive_an_end_that_points_nowhere) {
  const u32 outer = begin(1, 0, 10);
  const u32 inner = begin(2, 0, 5);
  end(inner);
  compiland_.record(S_INLINESITE_END, Out());
  const u32 nowhere = 0xfffffff0;
  std::memcpy(compiland_.symbols().data() + outer + 8, &nowhere, sizeof nowhere);
  EXPECT_EQ(at(1), std::vector<u32>({1, 2}));
  const u32 before = 4;
  std::memcpy(compiland_.symbols().data() + outer + 8, &before, sizeof before);
  EXPECT_EQ(at(1), std::vector<u32>({1, 2}));
  EXPECT_EQ(at(30), std::vector<u32>());
}

}  // namespace
}  // namespace wperf::symbols::pdb
