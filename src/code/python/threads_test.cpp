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
