// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/layout.h"

#include <gtest/gtest.h>

#include "code/python/debug_offsets.h"
#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::python {
namespace {

constexpr usize kThreadSizeIndex = (152 - 8) / 8, kFrameOwnerIndex = (264 - 8) / 8;  // indices in the table of 3.13

TEST(Layout, IsKnownForVersionsWithoutATable) {
  for (const u32 version : {0x030b02f0u, 0x030c01f0u, 0x030b00c1u}) {
    const auto layout = layout_of_version(version);
    ASSERT_TRUE(layout.has_value()) << version_text(version);
    EXPECT_TRUE(check_layout(layout.value()).has_value()) << version_text(version);
    EXPECT_EQ(layout.value().version, version);
  }
  EXPECT_EQ(layout_of_version(0x030b02f0).value().frame.is_entry, 68u);
  EXPECT_EQ(layout_of_version(0x030c01f0).value().first_c_owner, 3);
}

TEST(Layout, IsRefusedForOtherVersions) {
  for (const u32 version : {0x030a0df0u, 0x030d00f0u, 0x031000f0u, 0x020712f0u, 0x030b00a1u, 0u}) {
    EXPECT_FALSE(layout_of_version(version).has_value()) << version_text(version);
  }
  EXPECT_EQ(layout_of_version(0x030a0df0).error().text, "the frames of Python 3.10.13 cannot be read");
}

TEST(Layout, SpellsVersions) {
  EXPECT_EQ(version_text(0x030b02f0), "3.11.2");
  EXPECT_EQ(version_text(0x030f00c1), "3.15.0rc1");
  EXPECT_EQ(version_text(0x030f00a3), "3.15.0a3");
}

TEST(DebugOffsets, AreReadFromRealTables) {
  const auto old = parse_debug_offsets(table_bytes(kTable313));
  ASSERT_TRUE(old.has_value()) << old.error().text;
  EXPECT_EQ(old.value().version, 0x030d05f0u);
  EXPECT_EQ(old.value().interpreter.threads, 7344u);
  EXPECT_EQ(old.value().frame.owner, 70u);
  EXPECT_EQ(old.value().text.compact, 56u);
  EXPECT_EQ(old.value().code_mask, ~u64{0});
  EXPECT_EQ(old.value().thread.status, 32u);
  const auto middle = parse_debug_offsets(table_bytes(kTable314));
  ASSERT_TRUE(middle.has_value()) << middle.error().text;
  EXPECT_EQ(middle.value().frame.owner, 74u);
  EXPECT_EQ(middle.value().code.instructions, 208u);
  EXPECT_EQ(middle.value().code_mask, ~u64{3});
  const auto latest = parse_debug_offsets(table_bytes(kTable315));
  ASSERT_TRUE(latest.has_value()) << latest.error().text;
  EXPECT_EQ(latest.value().thread.native_id, 184u);
  EXPECT_EQ(latest.value().thread.status, 32u);
  EXPECT_EQ(latest.value().text.length, 16u);
  EXPECT_EQ(latest.value().text.compact, 56u);
}

TEST(DebugOffsets, FreeThreadedInterpreters) {
  auto bytes = table_bytes(kTable314);
  bytes[16] = std::byte{1};
  const auto layout = parse_debug_offsets(bytes);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout.value().text.kind_shift, 8);
  bytes = table_bytes(kTable313);
  bytes[16] = std::byte{1};
  EXPECT_EQ(parse_debug_offsets(bytes).value().code_mask, ~u64{1});
}

TEST(DebugOffsets, AreRefusedIfDamaged) {
  std::vector<u64> numbers(std::begin(kTable313), std::end(kTable313));
  auto refusal = [](std::span<const u64> table) { return parse_debug_offsets(table_bytes(table)).error().text; };
  EXPECT_FALSE(parse_debug_offsets({}).has_value());
  EXPECT_EQ(refusal(std::span(numbers).first(1)), "the interpreter's table of offsets is damaged: it has no version");
  EXPECT_EQ(refusal(std::span(numbers).first(20)),
            "the interpreter's table of offsets is damaged: the next thread is at 4294967280");
  numbers[kFrameOwnerIndex] = 80;  // as large as the frame
  EXPECT_EQ(refusal(numbers), "the interpreter's table of offsets is damaged: the owner of a frame is at 4294967280");
  numbers[kFrameOwnerIndex] = 70;
  numbers[kThreadSizeIndex] = 8;
  EXPECT_FALSE(parse_debug_offsets(table_bytes(numbers)).has_value());
  numbers[0] = 0x031000f0;
  EXPECT_EQ(refusal(numbers), "the frames of Python 3.16.0 cannot be read");
  numbers[0] = 0x1'030d'05f0;
  EXPECT_FALSE(parse_debug_offsets(table_bytes(numbers)).has_value());
}

TEST(DebugOffsets, EverySingleDamagedNumberIsRefusedOrHarmless) {
  for (const std::span<const u64> table : {std::span<const u64>(kTable313), std::span<const u64>(kTable315)}) {
    for (usize i = 0; i < table.size(); ++i) {
      for (const u64 value : {~u64{0}, u64{0x10001}, u64{0x7fffffff}}) {
        std::vector<u64> numbers(table.begin(), table.end());
        numbers[i] = value;
        const auto layout = parse_debug_offsets(table_bytes(numbers));
        EXPECT_TRUE(!layout.has_value() || check_layout(layout.value()).has_value()) << i;
      }
    }
  }
}

TEST(DebugOffsets, DecideTheLayoutOfARuntimeThatHasThem) {
  const auto table = table_bytes(kTable313);
  InterpreterImage with(parse_debug_offsets(table).value(), table);
  EXPECT_EQ(read_layout(with, with.runtime, 0).value().version, 0x030d05f0u);
  InterpreterImage without(layout_of_version(0x030b02f0).value());
  EXPECT_EQ(read_layout(without, without.runtime, 0x030b02f0).value().thread.native_id, 160u);
  EXPECT_EQ(read_layout(without, without.runtime, 0).error().text,
            "the interpreter has no table of offsets, and its structures are not known");
  EXPECT_EQ(read_layout(without, 8, 0x030b02f0).error().text, "the interpreter's memory cannot be read");
}

}  // namespace
}  // namespace wperf::python
