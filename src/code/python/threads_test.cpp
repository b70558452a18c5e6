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

TEST(InterpreterLock, IsInTheRuntimeOf311) {
  InterpreterImage image(layout_3_11());
  const u64 lock = image.runtime + image.layout.runtime.lock;
  image.put(lock + image.layout.lock.locked, u32{1});
  image.put(lock + image.layout.lock.holder, image.thread);
  auto found = read_lock(image, image.layout, image.runtime, image.interpreter);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->is_locked);
  EXPECT_EQ(found->holder, image.thread);
  image.put(lock + image.layout.lock.locked, ~u32{0});
  EXPECT_FALSE(read_lock(image, image.layout, image.runtime, image.interpreter)->is_locked) << "not made yet";
}

TEST(InterpreterLock, IsWhereTheInterpreterPointsSince312) {
  const auto table = table_bytes(kTable314);
  InterpreterImage image(parse_debug_offsets(table).value(), table);
  EXPECT_FALSE(read_lock(image, image.layout, image.runtime, image.interpreter).has_value()) << "no pointer";
  const u64 lock = image.take(64);
  image.put(image.interpreter + image.layout.interpreter.lock, lock);
  image.put(lock + image.layout.lock.locked, u32{0});
  image.put(lock + image.layout.lock.holder, image.thread);
  const auto found = read_lock(image, image.layout, image.runtime, image.interpreter);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->is_locked);
  EXPECT_EQ(found->holder, image.thread);
}

}  // namespace
}  // namespace wperf::python
