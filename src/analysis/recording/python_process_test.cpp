// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_process.h"

#include <gtest/gtest.h>

#include "analysis/recording/python_image_host_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::recording {
namespace {

// A thread runs code in a subinterpreter repeatedly. Each time, its state there is created at the same address.
struct Subinterpreter {
  explicit Subinterpreter(int minor) : image(python::known_layout(minor), python::known_table(minor)), host(image) {
    frame = image.call(image.add_code(U"f"), 0, true);
    inner = image.take(0x2000);
    state = image.take(0x400);
    image.put(image.interpreter + image.layout.interpreter.next, inner);
    leave();
    process = PythonProcess::open(host, 1);
  }
  void enter() {
    set_active(image.thread, false);
    image.put(inner + image.layout.interpreter.threads, state);
    image.put(state + image.layout.thread.native_id, u64{InterpreterImage::kNativeId});
    image.put(state + image.layout.thread.frame, frame);
    set_active(state, true);
  }
  void leave() {
    set_active(state, false);
    image.put(state + image.layout.thread.frame, u64{0});
    image.put(state + image.layout.thread.native_id, u64{0});
    image.put(inner + image.layout.interpreter.threads, u64{0});
    set_active(image.thread, true);
  }
  void set_active(u64 of, bool is_active) {
    image.put(of + image.layout.thread.status, is_active ? u32{0x13} : u32{0x3});
  }
  usize states_at(u64 time_ns) {
    PythonProcess::Frames frames;
    EXPECT_EQ(process->copy_frames(InterpreterImage::kNativeId, time_ns, frames), PythonProcess::Copied::yes);
    return frames.ends.size();
  }

  InterpreterImage image;
  ImageHost host;
  std::unique_ptr<PythonProcess> process;
  u64 frame = 0, inner = 0, state = 0;
};

class PythonProcesses : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Versions, PythonProcesses, testing::Values(13, 14, 15));

TEST_P(PythonProcesses, RememberAStateThatComesBack) {
  constexpr u64 kPause = 10'000'000;
  Subinterpreter python(GetParam());
  ASSERT_NE(python.process, nullptr);
  EXPECT_EQ(python.states_at(kPause), 1u);
  python.enter();
  EXPECT_EQ(python.states_at(kPause + 1), 1u) << "not known yet";
  python.process->doubt_states();
  EXPECT_EQ(python.states_at(2 * kPause), 2u);
  python.leave();
  EXPECT_EQ(python.states_at(2 * kPause + 1), 1u);
  python.enter();
  EXPECT_EQ(python.states_at(2 * kPause + 2), 2u) << "without another list";
  python.leave();
  python.process->doubt_states();
  EXPECT_EQ(python.states_at(3 * kPause), 1u) << "listed while the state was not there";
  python.enter();
  EXPECT_EQ(python.states_at(3 * kPause + 1), 2u);
}

// main() calls itself; all calls are in one evaluation.
PythonProcess::Frames frames_of_recursion(int minor, usize calls) {
  InterpreterImage image(python::known_layout(minor), python::known_table(minor));
  image.add_chunk(0x18800);
  const u64 code = image.add_code(U"main");
  for (usize call = 0; call < calls; ++call) image.call(code, 0, call == 0);
  ImageHost host(image);
  const auto process = PythonProcess::open(host, 1);
  PythonProcess::Frames frames;
  EXPECT_EQ(process->copy_frames(InterpreterImage::kNativeId, host.now_ns(), frames), PythonProcess::Copied::yes);
  return frames;
}

TEST_P(PythonProcesses, HaveTheInnermostFramesOfADeepRecursion) {
  const PythonProcess::Frames some = frames_of_recursion(GetParam(), 1000);
  ASSERT_EQ(some.all.size(), 1000u);
  EXPECT_FALSE(some.all.back().is_last_read);
  EXPECT_TRUE(some.all.back().is_entry);
  const PythonProcess::Frames many = frames_of_recursion(GetParam(), 1030);
  ASSERT_EQ(many.all.size(), 1024u);
  EXPECT_TRUE(many.all.back().is_last_read);
  EXPECT_FALSE(many.all.back().is_entry);
}

// A program whose threads all run the same function.
struct Threads {
  explicit Threads(int minor) : image(python::known_layout(minor), python::known_table(minor)), host(image) {
    host.has_many_threads = true;
    frame = image.call(image.add_code(U"f"), 0, true);
    process = PythonProcess::open(host, 1);
    newest = image.thread;
  }
  void start(u32 number, u64 state) {
    image.put(state + image.layout.thread.next, newest);
    image.put(state + image.layout.thread.native_id, u64{number});
    image.put(state + image.layout.thread.frame, frame);
    image.put(image.interpreter + image.layout.interpreter.threads, state);
    newest = state;
  }
  PythonProcess::Copied copied(u32 number, u64 time_ns) {
    PythonProcess::Frames frames;
    return process->copy_frames(number, time_ns, frames);
  }

  InterpreterImage image;
  ImageHost host;
  std::unique_ptr<PythonProcess> process;
  u64 frame = 0, newest = 0;
};

TEST_P(PythonProcesses, FindThreadsThatHaveJustStarted) {
  using Copied = PythonProcess::Copied;
  constexpr u64 kBegin = 1'000'000'000;
  Threads python(GetParam());
  ASSERT_NE(python.process, nullptr);
  EXPECT_EQ(python.copied(InterpreterImage::kNativeId, kBegin), Copied::yes);
  const u64 state = python.image.take(0x400);
  python.start(100, state);
  EXPECT_EQ(python.copied(100, kBegin + 1), Copied::yes) << "without a pause";
  python.start(101, python.image.take(0x400));
  EXPECT_EQ(python.copied(101, kBegin + 2), Copied::yes);
  // A new thread's state is often at the address of the state of a thread that has ended.
  python.image.put(state + python.image.layout.thread.native_id, u64{102});
  EXPECT_EQ(python.copied(102, kBegin + 3), Copied::yes);
  EXPECT_NE(python.copied(100, kBegin + 4), Copied::yes);
  EXPECT_EQ(python.copied(103, kBegin + 5), Copied::no_python_thread);
  python.image.put(state + python.image.layout.thread.frame, u64{0});
  EXPECT_EQ(python.copied(102, kBegin + 6), Copied::no_frames);
}

TEST_P(PythonProcesses, LimitTheSearchesForThreadsWithoutPython) {
  constexpr u64 kBegin = 1'000'000'000, kMillisecond = 1'000'000;
  Threads python(GetParam());
  for (u32 number = 100; number < 110; ++number) python.start(number, python.image.take(0x400));
  static_cast<void>(python.copied(100, kBegin));
  python.image.calls = 0;
  for (u64 i = 0; i < 1000; ++i) static_cast<void>(python.copied(900, kBegin + i * kMillisecond));
  constexpr int kReadsOfList = 13;
  EXPECT_LE(python.image.calls, 108 * kReadsOfList) << "the whole list every 10 ms, and few searches of the newest";
  python.image.calls = 0;
  for (u32 i = 0; i < 1000; ++i) static_cast<void>(python.copied(1000 + i, kBegin + (1000 + i) * kMillisecond));
  EXPECT_LE(python.image.calls, 100 * kReadsOfList + 512 + 5000 + kReadsOfList) << "one hundredth of the time";
}

TEST_P(PythonProcesses, FindAThreadAmongManyThatHaveJustStarted) {
  Threads python(GetParam());
  constexpr u64 kBegin = 1'000'000'000;
  EXPECT_EQ(python.copied(InterpreterImage::kNativeId, kBegin), PythonProcess::Copied::yes);
  for (u32 number = 100; number < 150; ++number) python.start(number, python.image.take(0x300));
  EXPECT_EQ(python.copied(100, kBegin + 1), PythonProcess::Copied::yes) << "not among the newest 32";
  for (u32 number = 101; number < 150; ++number)
    EXPECT_EQ(python.copied(number, kBegin + 2), PythonProcess::Copied::yes) << number;
}

TEST_P(PythonProcesses, AreKnownInForkedProcesses) {
  Threads python(GetParam());
  const auto child = python.process->forked(2);
  ASSERT_NE(child, nullptr);
  PythonProcess::Frames frames;
  EXPECT_EQ(child->copy_frames(InterpreterImage::kNativeId, 1, frames), PythonProcess::Copied::yes);
  EXPECT_TRUE(child->evaluates_at(ImageHost::kEvaluation));
  python.image.put(python.image.runtime + python.image.layout.runtime.interpreters, u64{0});
  EXPECT_EQ(python.process->forked(3), nullptr);
}

TEST(PythonProcess, LeavesOutTheOtherStateIfFramesAreMissingBetween) {
  PythonProcess::Frames frames;
  frames.all.resize(3);
  frames.ends = {2, 3};
  std::vector<PythonProcess::Frame> room;
  EXPECT_EQ(frames.from(0, room).size(), 3u);
  EXPECT_EQ(frames.from(2, room).size(), 3u);
  frames.all[1].is_last_read = true;
  EXPECT_EQ(frames.from(0, room).size(), 2u);
  EXPECT_EQ(frames.from(2, room).size(), 3u);
}

}  // namespace
}  // namespace wperf::recording
