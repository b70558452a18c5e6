// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "code/python/code_objects.h"
#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::python {
namespace {

// An interpreter of a minor version in which main() calls work(), which calls step() through C.
struct Interpreter {
  explicit Interpreter(int minor) : image(known_layout(minor), known_table(minor)) {
    main = image.add_code(U"main");
    work = image.add_code(U"work", 20);
    step = image.add_code(U"step", 30);
    main_frame = image.call(main, 8, true);
    work_frame = image.call(work, 0, false);
    step_frame = image.call(step, 16, true);
  }
  RawStack stack() { return read_stack(image); }
  RawStack stack_from(u64 frame, usize most = kMostFrames) {
    RawStack out;
    StackReader(image, image.layout).read_from(frame, out, most);
    return out;
  }
  // "step:32 | work:20 main:31": innermost first, with | after the outermost frame of an evaluation.
  std::string text(const RawStack& stack) {
    CodeObjects code(image, image.layout);
    std::string out;
    for (const RawFrame& frame : stack.frames) {
      const auto id = code.id_of(frame);
      if (!out.empty()) out += ' ';
      out += id.has_value() ? code[*id].qualified_name + ':' + std::to_string(line_of(code, *id, frame)) : "?";
      if (frame.is_entry) out += " |";
    }
    return out;
  }

  InterpreterImage image;
  u64 main, work, step, main_frame, work_frame, step_frame;
};

class Stacks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Versions, Stacks, testing::Values(11, 12, 13, 14, 15));

TEST_P(Stacks, HaveEachFrameAndTheEndsOfEvaluations) {
  Interpreter python(GetParam());
  const RawStack stack = python.stack();
  EXPECT_EQ(python.text(stack), "step:32 | work:20 main:11 |");
  EXPECT_EQ(stack.end, StackEnd::outermost);
  ASSERT_EQ(stack.frames.size(), 3u);
  EXPECT_EQ(stack.frames[0].address, python.step_frame);
  EXPECT_EQ(stack.frames[1].address, python.work_frame);
  EXPECT_EQ(stack.frames[2].address, python.main_frame);
}

TEST_P(Stacks, BeginAtAnyFrame) {
  Interpreter python(GetParam());
  EXPECT_EQ(python.text(python.stack_from(python.work_frame)), "work:20 main:11 |");
  EXPECT_EQ(python.text(python.stack_from(python.main_frame)), "main:11 |");
  const RawStack no_frame = python.stack_from(0);
  EXPECT_TRUE(no_frame.frames.empty());
  EXPECT_EQ(no_frame.end, StackEnd::outermost);
}

TEST_P(Stacks, AreReusedFromTheirBeginning) {
  Interpreter python(GetParam());
  StackReader reader(python.image, python.image.layout);
  RawStack stack;
  reader.read_from(8, stack);
  EXPECT_EQ(stack.end, StackEnd::unreadable);
  reader.read_from(python.step_frame, stack);
  EXPECT_EQ(stack.end, StackEnd::outermost);
  reader.read_from(python.work_frame, stack);
  EXPECT_EQ(python.text(stack), "work:20 main:11 |");
}

TEST_P(Stacks, HaveFramesOfOlderChunksAndOfGenerators) {
  Interpreter python(GetParam());
  python.image.call_generator(python.main, 0);
  for (int chunk = 0; chunk < 3; ++chunk) {
    python.image.add_chunk(0x800);
    for (int i = 0; i < 15; ++i) python.image.call(python.work, 16, false);
  }
  const RawStack stack = python.stack();
  EXPECT_EQ(stack.frames.size(), 49u);
  EXPECT_EQ(stack.end, StackEnd::outermost);
  EXPECT_TRUE(python.text(stack).ends_with("work:22 main:10 step:32 | work:20 main:11 |")) << python.text(stack);
}

TEST_P(Stacks, AreCutIfTheyAreTooDeepOrRunInACircle) {
  Interpreter python(GetParam());
  const RawStack two = python.stack_from(python.step_frame, 2);
  EXPECT_EQ(two.end, StackEnd::too_deep);
  EXPECT_EQ(python.text(two), "step:32 | work:20");
  python.image.put(python.main_frame + python.image.layout.frame.previous, python.step_frame);
  const RawStack circle = python.stack();
  EXPECT_EQ(circle.end, StackEnd::too_deep);
  EXPECT_EQ(circle.frames.size(), kMostFrames);
}

TEST_P(Stacks, EndWhereAFrameCannotBeRead) {
  Interpreter python(GetParam());
  python.image.put(python.work_frame + python.image.layout.frame.previous, u64{0x1234});
  const RawStack stack = python.stack();
  EXPECT_EQ(stack.end, StackEnd::unreadable);
  EXPECT_EQ(python.text(stack), "step:32 | work:20");
}

// The thread returns from step() and calls main() in its place.
TEST_P(Stacks, AreThoseOfTheSnapshotWhenTheThreadHasGoneOn) {
  Interpreter python(GetParam());
  Snapshot snapshot;
  ASSERT_TRUE(snapshot.take(python.image, python.image.layout, python.image.thread, InterpreterImage::kNativeId));
  python.image.leave(python.step_frame, python.work_frame);
  ASSERT_EQ(python.image.call(python.main, 0, false), python.step_frame);
  EXPECT_EQ(python.text(python.stack()), "main:10 work:20 main:11 |");
  SnapshotMemory copied(snapshot, python.image);
  RawStack stack;
  StackReader(copied, python.image.layout).read_from(snapshot.current_frame(), stack);
  EXPECT_EQ(python.text(stack), "step:32 | work:20 main:11 |");
}

TEST(StackReader, EndsInACircleOfFramesOfC) {
  Interpreter python(13);
  const u64 entry = python.image.take(96);
  python.image.put(entry + python.image.layout.frame.owner, u8{3});
  python.image.put(entry + python.image.layout.frame.previous, entry);
  python.image.calls = 0;
  const RawStack stack = python.stack_from(entry);
  EXPECT_EQ(stack.end, StackEnd::too_deep);
  EXPECT_LE(stack.frames.size(), kMostFrames);
  EXPECT_LE(python.image.calls, static_cast<int>(2 * kMostFrames));
}

TEST(StackReader, MarksAnEvaluationWithoutFrames) {
  Interpreter python(13);
  const u64 entry = python.image.take(96);
  python.image.put(entry + python.image.layout.frame.owner, u8{3});
  python.image.put(entry + python.image.layout.frame.previous, python.step_frame);
  python.image.set_current(entry);
  const RawStack stack = python.stack();
  EXPECT_EQ(python.text(stack), "? | step:32 | work:20 main:11 |");
  EXPECT_EQ(stack.frames[0].code, 0u);
}

TEST(StackReader, GivesCodeThatIsGoneNoMark) {
  Interpreter python(13);
  python.image.put(python.step_frame + python.image.layout.frame.code, u64{0x500});
  const RawStack stack = python.stack();
  ASSERT_EQ(stack.frames.size(), 3u);
  EXPECT_EQ(stack.frames[0].mark, 0u);
  EXPECT_EQ(python.text(stack), "? | work:20 main:11 |");
}

TEST(StackReader, NamesAFrameThatTheThreadIsLeavingByItsInstruction) {
  Interpreter python(14);
  CodeObjects code(python.image, python.image.layout);
  const auto known = code.id_of(python.stack().frames.at(0));
  python.image.put(python.step_frame + python.image.layout.frame.code, u64{0});
  RawStack stack = python.stack();
  ASSERT_EQ(stack.frames.size(), 3u);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(code.id_of(stack.frames[0]), known);
  EXPECT_EQ(line_of(code, *known, stack.frames[0]), 32u);
  stack.frames[0].instruction += 8;
  EXPECT_FALSE(code.id_of(stack.frames[0]).has_value()) << "behind its end";
}

}  // namespace
}  // namespace wperf::python
