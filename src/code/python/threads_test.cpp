// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/threads.h"

#include <gtest/gtest.h>

#include "code/python/debug_offsets.h"
#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::python {
namespace {

Layout layout_3_11() {
  return layout_of_version(0x030b02f0).value();
}

TEST(Threads, AreListedForEachInterpreter) {
  InterpreterImage image(layout_3_11());
  const u64 second = image.take(0x400), other = image.take(0x2000), third = image.take(0x400);
  image.put(image.thread + image.layout.thread.next, second);
  image.put(second + image.layout.thread.native_id, u64{78});
  image.put(image.interpreter + image.layout.interpreter.next, other);
  image.put(other + image.layout.interpreter.threads, third);
  const PythonThreads found = list_threads(image, image.layout, image.runtime);
  EXPECT_TRUE(found.is_whole);
  ASSERT_EQ(found.threads.size(), 3u);
  EXPECT_EQ(found.threads[0].native_id, InterpreterImage::kNativeId);
  EXPECT_EQ(found.threads[0].state, image.thread);
  EXPECT_EQ(found.threads[1].native_id, 78u);
  EXPECT_EQ(found.threads[2].interpreter, other);
}

// Adds threads with the numbers 100, 101, …, each before the earlier ones.
void start_threads(InterpreterImage& image, u32 count) {
  u64 newest = image.thread;
  for (u32 i = 0; i < count; ++i) {
    const u64 state = image.take(0x200);
    image.put(state + image.layout.thread.next, newest);
    image.put(state + image.layout.thread.native_id, u64{100} + i);
    image.put(image.interpreter + image.layout.interpreter.threads, state);
    newest = state;
  }
}

TEST(Threads, TheNewestAreFoundWithFewReads) {
  InterpreterImage few(layout_3_11());
  start_threads(few, 3);
  few.calls = 0;
  const PythonThreads all = list_newest_threads(few, few.layout, few.runtime, 1);
  EXPECT_TRUE(all.is_whole);
  ASSERT_EQ(all.threads.size(), 4u);
  EXPECT_EQ(all.threads[0].native_id, 102u);
  EXPECT_EQ(all.threads[3].native_id, InterpreterImage::kNativeId);
  EXPECT_EQ(few.calls, 6);
  InterpreterImage many(layout_3_11());
  start_threads(many, 100);
  many.calls = 0;
  const PythonThreads some = list_newest_threads(many, many.layout, many.runtime, 1);
  EXPECT_FALSE(some.is_whole);
  ASSERT_EQ(some.threads.size(), kMostNewest);
  EXPECT_EQ(some.threads.front().native_id, 199u);
  EXPECT_EQ(some.threads.back().native_id, 168u);
  EXPECT_EQ(many.calls, static_cast<int>(2 + kMostNewest));
  many.calls = 0;
  EXPECT_EQ(list_newest_threads(many, many.layout, many.runtime, 198).threads.size(), 2u);
  EXPECT_EQ(many.calls, 4);
}

TEST(Threads, AreCutWhereTheListIsDamaged) {
  InterpreterImage image(layout_3_11());
  const u64 next = image.thread + image.layout.thread.next;
  image.put(next, u64{8});
  PythonThreads found = list_threads(image, image.layout, image.runtime);
  EXPECT_FALSE(found.is_whole);
  EXPECT_EQ(found.threads.size(), 1u);
  image.put(next, image.thread);
  EXPECT_FALSE(list_threads(image, image.layout, image.runtime).is_whole);
  const u64 second = image.take(0x400);
  image.put(next, second);
  image.put(second + image.layout.thread.next, image.thread);
  found = list_threads(image, image.layout, image.runtime);
  EXPECT_FALSE(found.is_whole);
  EXPECT_EQ(found.threads.size(), kMostThreads);
  image.put(next, u64{0});
  image.put(image.interpreter + image.layout.interpreter.next, image.interpreter);
  found = list_threads(image, image.layout, image.runtime);
  EXPECT_FALSE(found.is_whole);
  EXPECT_EQ(found.threads.size(), kMostInterpreters);
  EXPECT_FALSE(list_threads(image, image.layout, 8).is_whole);
}

}  // namespace
}  // namespace wperf::python
