// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/frame_table.h"

#include <gtest/gtest.h>

#include "code/unwind/frame_builder_test.h"

namespace wperf::unwind {
namespace {

// The initial rules on x86-64: the frame is 8 above rsp, the return address just below it.
const CodeBytes kBeginning = {0x0c, 7, 8, 0x90, 1};
// push rbp at 1, mov rbp, rsp at 4, pop rbp at 20.
const CodeBytes kFrame = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x50, 0x0c, 7, 8, 0xc6};

const RegisterRule* rule_of(const FrameRow& row, u8 number) {
  for (const RegisterRule& rule : row.rules) {
    if (rule.number == number) return &rule;
  }
  return nullptr;
}

void expect_frame_rows(FrameTable& table, u64 begin) {
  const FrameRow* row = table.row_at(begin);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_register, 7);
  EXPECT_EQ(row->cfa_offset, 8);
  ASSERT_NE(rule_of(*row, 16), nullptr);
  EXPECT_EQ(rule_of(*row, 16)->rule, Rule::at_cfa);
  EXPECT_EQ(rule_of(*row, 16)->value, -8);
  EXPECT_EQ(rule_of(*row, 6), nullptr);
  row = table.row_at(begin + 1);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_offset, 16);
  ASSERT_NE(rule_of(*row, 6), nullptr);
  EXPECT_EQ(rule_of(*row, 6)->value, -16);
  row = table.row_at(begin + 19);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_register, 6);
  EXPECT_EQ(row->cfa_offset, 16);
  row = table.row_at(begin + 20);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_register, 7);
  EXPECT_EQ(row->cfa_offset, 8);
  EXPECT_EQ(rule_of(*row, 6), nullptr) << "restored to what the common entry says: nothing";
}

TEST(FrameTable, FollowsAFunctionWithoutASearchTable) {
  FrameBuilder builder;
  builder.common("zR", 16, kBeginning);
  builder.function(0x1100, 0x20, kFrame);
  builder.function(0x1000, 0x10, {});
  FrameTable table(builder.sections());
  expect_frame_rows(table, 0x1100);
  EXPECT_NE(table.row_at(0x100f), nullptr);
  EXPECT_EQ(table.row_at(0x1010), nullptr) << "between two functions";
  EXPECT_EQ(table.row_at(0x1120), nullptr);
  EXPECT_EQ(table.row_at(0xfff), nullptr);
}

TEST(FrameTable, ReadsDebugFrame) {
  FrameBuilder builder(true);
  builder.common("", 16, kBeginning);
  builder.function(0x401100, 0x20, kFrame);
  FrameTable table(builder.sections());
  expect_frame_rows(table, 0x401100);
}

TEST(FrameTable, FindsByTheSearchTableWithoutReadingTheRest) {
  FrameBuilder builder;
  builder.common("zR", 16, kBeginning);
  const u64 second = builder.function(0x1100, 0x20, kFrame);
  // The bytes before the wanted entry may be invalid.
  const u64 first = builder.bytes().size();
  builder.number(0x7fffffff, 4);
  constexpr u64 kSearchAddress = 0x5000;
  FrameBuilder search;
  search.number(0x3b031b01, 4);
  search.number(FrameBuilder::kAddress - (kSearchAddress + 4), 4);
  search.number(2, 4);
  for (const auto& [begin, offset] : {std::pair<u64, u64>{0x1000, first}, {0x1100, second}}) {
    search.number(begin - kSearchAddress, 4);
    search.number(FrameBuilder::kAddress + offset - kSearchAddress, 4);
  }
  FrameSections sections = builder.sections();
  sections.search = symbols::EndianBytes(std::as_bytes(std::span(search.bytes())), false);
  sections.search_address = kSearchAddress;
  FrameTable table(sections);
  expect_frame_rows(table, 0x1100);
  EXPECT_EQ(table.row_at(0x1000), nullptr);
  EXPECT_EQ(table.row_at(0x10), nullptr);
}

TEST(FrameTable, RemembersAndRestoresStates) {
  FrameBuilder builder;
  builder.common("zR", 16, kBeginning);
  builder.function(0x1000, 0x20, {0x41, 0x0e, 32, 0x0a, 0x41, 0x0e, 8, 0x42, 0x0b});
  FrameTable table(builder.sections());
  EXPECT_EQ(table.row_at(0x1001)->cfa_offset, 32);
  EXPECT_EQ(table.row_at(0x1003)->cfa_offset, 8);
  EXPECT_EQ(table.row_at(0x1004)->cfa_offset, 32);
}

TEST(FrameTable, TellsSignalFrames) {
  FrameBuilder builder;
  builder.common("zRS", 16, {0x0f, 3, 0x77, 0xa0, 0x01});
  builder.function(0x1000, 0x10, {0x10, 16, 2, 0x77, 8});
  FrameTable table(builder.sections());
  const FrameRow* row = table.row_at(0x1005);
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->is_signal_frame);
  EXPECT_EQ(row->cfa_expression.size(), 3u);
  ASSERT_NE(rule_of(*row, 16), nullptr);
  EXPECT_EQ(rule_of(*row, 16)->rule, Rule::at_expression);
}

TEST(FrameTable, KnowsArmsSignedReturnAddresses) {
  FrameBuilder builder;
  builder.common("zRB", 30, {0x0c, 31, 0});
  builder.function(0x1000, 0x20, {0x44, 0x2d, 0x44, 0x0e, 16, 0x9d, 2, 0x9e, 1});
  FrameTable table(builder.sections());
  const FrameRow* row = table.row_at(0x1008);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_offset, 16);
  EXPECT_EQ(rule_of(*row, 30)->value, -8);
}

TEST(FrameTable, DamagedEntriesSayNothing) {
  for (const CodeBytes& program : {CodeBytes{0x0b}, CodeBytes{0x3e}, CodeBytes{0x0e}, CodeBytes{0x0f, 100, 1},
                                   CodeBytes{0x0d, 99}, CodeBytes(70, 0x0a)}) {
    FrameBuilder builder;
    builder.common("zR", 16, kBeginning);
    builder.function(0x1000, 0x20, program);
    FrameTable table(builder.sections());
    EXPECT_EQ(table.row_at(0x1008), nullptr) << "program that begins with " << int{program[0]};
  }
}

TEST(FrameTable, CutSectionsAreReadSafely) {
  FrameBuilder builder;
  builder.common("zR", 16, kBeginning);
  builder.function(0x1000, 0x20, kFrame);
  for (usize length = 0; length < builder.bytes().size(); ++length) {
    const std::vector<u8> cut(builder.bytes().begin(), builder.bytes().begin() + static_cast<long>(length));
    FrameSections sections = builder.sections();
    sections.frames = symbols::EndianBytes(std::as_bytes(std::span(cut)), false);
    FrameTable table(sections);
    EXPECT_EQ(table.row_at(0x1010), nullptr) << length;
  }
}

}  // namespace
}  // namespace wperf::unwind
