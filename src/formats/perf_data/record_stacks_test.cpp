// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/record_stacks.h"

#include <gtest/gtest.h>

namespace wperf::perf_data {
namespace {

RecordStacks read(std::string_view bytes) {
  return read_record_stacks(std::as_bytes(std::span(bytes)));
}

RecordStacks example() {
  return {.stacks = {{0x1000, 0x2000}, {}, {~u64{0}}},
          .records = {{.ticks = 7, .core = 1, .stack = 2, .replaces = true}, {.ticks = 8, .core = 0, .stack = 0}}};
}

TEST(RecordStacks, AreReadAsTheyWereWritten) {
  const RecordStacks back = read(record_stacks_bytes(example()));
  EXPECT_EQ(back.stacks, example().stacks);
  EXPECT_EQ(back.records, example().records);
  EXPECT_TRUE(read(record_stacks_bytes({})).stacks.empty());
  EXPECT_TRUE(read("").records.empty());
}

TEST(RecordStacks, AreReadUpToTheDamage) {
  const std::string whole = record_stacks_bytes(example());
  for (usize size = 0; size < whole.size(); ++size) {
    const RecordStacks part = read(whole.substr(0, size));
    EXPECT_LE(part.records.size(), example().records.size());
    for (const RecordStacks::Record& record : part.records) EXPECT_LT(record.stack, part.stacks.size());
  }
  std::string other = whole;
  other[whole.size() - 4] = 3;  // the stack of the last record
  EXPECT_EQ(read(other).records.size(), 1u);
  other = whole;
  other[4 + 3] = 0x7f;  // the size of the first stack
  EXPECT_TRUE(read(other).stacks.empty());
}

}  // namespace
}  // namespace wperf::perf_data
