// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/code_objects.h"

#include <gtest/gtest.h>

#include "code/python/debug_offsets.h"
#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"
#include "code/python/objects.h"

namespace wperf::python {
namespace {

constexpr u8 kOneLine[] = {0x80 | 10 << 3 | 7, 0, 0};

Layout layout_3_13() {
  return parse_debug_offsets(table_bytes(kTable313)).value();
}

RawFrame frame_of(InterpreterImage& image) {
  const RawStack stack = read_stack(image);
  EXPECT_EQ(stack.end, StackEnd::outermost);
  return stack.frames.empty() ? RawFrame{} : stack.frames[0];
}

TEST(PythonText, IsReadInEachWidth) {
  for (const Layout& layout : {layout_of_version(0x030b02f0).value(), layout_3_13()}) {
    InterpreterImage image(layout);
    for (const auto& [characters, utf8] : {std::pair(U"step", "step"),
                                           {U"", ""},
                                           {U"caf\u00e9", "caf\u00e9"},
                                           {U"\u0161koda", "\u0161koda"},
                                           {U"x\U0001f40d", "x\U0001f40d"}}) {
      const auto text = read_text(image, layout, image.add_text(characters));
      ASSERT_TRUE(text.has_value()) << utf8;
      EXPECT_EQ(text->text, utf8);
    }
  }
}

TEST(PythonText, IsCutOrRefused) {
  InterpreterImage image(layout_3_13());
  const u64 text = image.add_text(U"abc");
  EXPECT_FALSE(read_text(image, image.layout, 0).has_value());
  EXPECT_FALSE(read_text(image, image.layout, 8).has_value());
  image.put(text + image.layout.text.length, u64{1} << 40);
  const auto cut = read_text(image, image.layout, text);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->text.size(), kMostCharacters + std::string_view("…").size());
  EXPECT_TRUE(cut->text.ends_with("…"));
  for (const u32 state : {0u, 1u << 2, (3u | 8u) << 2, (2u | 8u | 16u) << 2}) {
    image.put(text + image.layout.text.state, state);
    EXPECT_FALSE(read_text(image, image.layout, text).has_value()) << state;
  }
  // Lone surrogates, and numbers beyond Unicode.
  const u64 wide = image.add_text(U"\U0001f40d");
  image.put(wide + image.layout.text.compact, u32{0xd800});
  EXPECT_EQ(read_text(image, image.layout, wide)->text, "\ufffd");
  image.put(wide + image.layout.text.compact, u32{0x110000});
  EXPECT_EQ(read_text(image, image.layout, wide)->text, "\ufffd");
}

TEST(PythonBytes, AreLimited) {
  InterpreterImage image(layout_3_13());
  const u64 object = image.add_bytes(kOneLine);
  EXPECT_EQ(read_byte_object(image, image.layout, object)->size(), 3u);
  for (const u64 size : {kMostBytes, kMostBytes + 1, ~u64{0}}) {
    image.put(object + image.layout.bytes.size, size);
    EXPECT_FALSE(read_byte_object(image, image.layout, object).has_value()) << size;
  }
}

TEST(CodeObjects, AreReadOnce) {
  InterpreterImage image(layout_3_13());
  image.call(image.add_code(U"Worker.step"), 8, true);
  CodeObjects code(image, image.layout);
  const RawFrame frame = frame_of(image);
  const auto id = code.id_of(frame);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(code[*id].qualified_name, "Worker.step");
  EXPECT_EQ(code[*id].file, "app.py");
  EXPECT_EQ(code[*id].instructions, frame.code + image.layout.code.instructions);
  EXPECT_EQ(code.lines(*id).size(), 24u);
  EXPECT_EQ(line_of(code, *id, frame), 11u);
  image.calls = 0;
  EXPECT_EQ(code.id_of(frame), id);
  EXPECT_EQ(image.calls, 0);
}

// Free-threaded interpreters use the lowest bits of some code addresses as tags.
TEST(CodeObjects, HaveAddressesWithoutTags) {
  auto table = table_bytes(kTable314);
  table[16] = std::byte{1};  // the interpreter is free-threaded
  InterpreterImage image(parse_debug_offsets(table).value(), table);
  const u64 object = image.add_code(U"step");
  image.call(object, 8, true);
  CodeObjects code(image, image.layout);
  const RawFrame frame = frame_of(image);
  EXPECT_EQ(frame.code, object);
  const auto id = code.id_of(frame);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(code[*id].qualified_name, "step");
}

TEST(CodeObjects, NoticeThatAnAddressHasAnotherOne) {
  InterpreterImage image(layout_3_13());
  const u64 object = image.add_code(U"old");
  image.call(object, 0, true);
  CodeObjects code(image, image.layout);
  const auto old = code.id_of(frame_of(image));
  image.fill_code(object, U"new", 10, kOneLine);
  const auto young = code.id_of(frame_of(image));
  ASSERT_TRUE(old.has_value() && young.has_value());
  EXPECT_NE(*old, *young);
  EXPECT_EQ(code[*young].qualified_name, "new");
}

TEST(CodeObjects, AreNotTakenIfTheyChangeWhileTheyAreRead) {
  InterpreterImage image(layout_3_13());
  const u64 object = image.add_code(U"old");
  image.call(object, 0, true);
  const RawFrame frame = frame_of(image);
  CodeObjects code(image, image.layout);
  image.calls = 0;
  image.before_call = [&](int call) {
    if (call == 3) image.put(object + image.layout.code.first_line, u32{11});
  };
  EXPECT_FALSE(code.id_of(frame).has_value());
  EXPECT_EQ(code.size(), 0u);
}

TEST(CodeObjects, AreGivenUpAfterSomeAttempts) {
  InterpreterImage image(layout_3_13());
  const u64 object = image.add_code(U"x");
  image.put(object + image.layout.code.file, u64{8});
  image.call(object, 0, true);
  const RawFrame frame = frame_of(image);
  CodeObjects code(image, image.layout);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(code.id_of(frame).has_value());
  image.calls = 0;
  EXPECT_FALSE(code.id_of(frame).has_value());
  EXPECT_EQ(image.calls, 0);
  EXPECT_FALSE(code.id_of(RawFrame{}).has_value());
}

}  // namespace
}  // namespace wperf::python
