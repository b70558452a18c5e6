// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/snapshot.h"

#include <gtest/gtest.h>

#include <array>

#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"
#include "code/python/stacks.h"

namespace wperf::python {
namespace {

constexpr u64 kCopyLimit = 0x10000;

// main() calls work().
struct TwoCalls {
  explicit TwoCalls(int minor, u64 chunk_size = 0x2000) : image(known_layout(minor), known_table(minor)) {
    image.add_chunk(chunk_size);
    const u64 code = image.add_code(U"f");
    main_frame = image.call(code, 0, true);
    work_frame = image.call(code, 8, false);
  }
  bool take() { return snapshot.take(image, image.layout, image.thread, InterpreterImage::kNativeId); }
  bool take_with_top(u64 top) {
    image.set_top(top);
    return take();
  }
  bool has_c_frame() const { return image.c_frame != 0; }
  // All frames from `frame` on, in the snapshot.
  std::vector<u64> frames_from(u64 frame) {
    SnapshotMemory copied(snapshot, image);
    RawStack stack;
    StackReader(copied, image.layout).read_from(frame, stack);
    std::vector<u64> out;
    for (const RawFrame& one : stack.frames) out.push_back(one.address);
    return out;
  }
  std::vector<u64> both() const { return {work_frame, main_frame}; }

  InterpreterImage image;
  Snapshot snapshot;
  u64 main_frame = 0, work_frame = 0;
};

class Snapshots : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Versions, Snapshots, testing::Values(11, 12, 13, 14, 15));

TEST_P(Snapshots, SayWhetherTheThreadRunsTheirInterpreter) {
  TwoCalls python(GetParam());
  ASSERT_TRUE(python.take());
  EXPECT_FALSE(python.snapshot.is_active());
  const u32 status = python.image.layout.thread.status;
  ASSERT_EQ(status == Layout::kNone, GetParam() == 11);
  if (status == Layout::kNone) return;
  python.image.put(python.image.thread + status, u32{0x13});  // initialized, bound, active
  ASSERT_TRUE(python.take());
  EXPECT_TRUE(python.snapshot.is_active());
  python.image.put(python.image.thread + status, u32{0xffffffef});
  ASSERT_TRUE(python.take());
  EXPECT_FALSE(python.snapshot.is_active());
}

TEST_P(Snapshots, HaveTheStateAndTheNewestChunk) {
  TwoCalls python(GetParam());
  python.image.calls = 0;
  ASSERT_TRUE(python.take());
  EXPECT_EQ(python.image.calls, python.has_c_frame() ? 3 : 2);
  EXPECT_EQ(python.snapshot.current_frame(), python.work_frame);
  EXPECT_TRUE(python.snapshot.holds(python.image.chunk));
  EXPECT_FALSE(python.snapshot.holds(python.image.chunk - 1));
  const u64 instruction = python.work_frame + python.image.layout.frame.instruction;
  u64 before = 0, copied = 0;
  ASSERT_TRUE(python.image.read_number(instruction, before));
  python.image.put(instruction, u64{1});
  ASSERT_TRUE(python.snapshot.copy(instruction, bytes_of(copied)));
  EXPECT_EQ(copied, before);
}

TEST_P(Snapshots, RefuseTheStateOfAnotherThread) {
  TwoCalls python(GetParam());
  ASSERT_TRUE(python.take());
  EXPECT_FALSE(
      python.snapshot.take(python.image, python.image.layout, python.image.thread, InterpreterImage::kNativeId + 1));
  EXPECT_FALSE(python.snapshot.holds(python.work_frame)) << "not that of the one before";
  EXPECT_EQ(python.snapshot.current_frame(), 0u);
  EXPECT_FALSE(python.snapshot.take(python.image, python.image.layout, 8, InterpreterImage::kNativeId));
}

TEST_P(Snapshots, HaveNoFrameIfNoPythonCodeRuns) {
  TwoCalls python(GetParam());
  python.image.put(python.image.thread + python.image.layout.thread.frame, u64{0});
  ASSERT_TRUE(python.take());
  EXPECT_EQ(python.snapshot.current_frame(), 0u);
}

TEST_P(Snapshots, TakeOneCallWhereEverythingIsWhereItWas) {
  TwoCalls python(GetParam());
  ASSERT_TRUE(python.take());
  python.image.leave(python.work_frame, python.main_frame);
  python.image.calls = 0;
  ASSERT_TRUE(python.take());
  EXPECT_EQ(python.image.calls, 1);
  EXPECT_EQ(python.snapshot.current_frame(), python.main_frame) << "not that of the time before";
}

TEST_P(Snapshots, FollowADataStackThatMoves) {
  TwoCalls python(GetParam());
  ASSERT_TRUE(python.take());
  const u64 code = python.image.add_code(U"g"), before = python.image.chunk;
  python.image.add_chunk(0x1000);
  const u64 frame = python.image.call(code, 0, false);
  ASSERT_TRUE(python.take());
  EXPECT_EQ(python.snapshot.current_frame(), frame);
  EXPECT_TRUE(python.snapshot.holds(frame));
  EXPECT_FALSE(python.snapshot.holds(before));
  std::vector<u64> expected = python.both();
  expected.insert(expected.begin(), frame);
  EXPECT_EQ(python.frames_from(frame), expected);
}

// 40 frames in each of six chunks.
struct DeepCalls : TwoCalls {
  static constexpr int kChunks = 6, kFrames = 40;
  explicit DeepCalls(int minor) : TwoCalls(minor) {
    const u64 code = image.add_code(U"deep");
    image.put(image.chunk, u64{0});  // main() is in the oldest chunk
    all = both();
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      image.add_chunk(0x1000);
      for (int i = 0; i < kFrames; ++i) all.insert(all.begin(), image.call(code, 0, false));
    }
  }
  // The number of system calls for a snapshot and a walk through all frames.
  int calls_of_a_walk() {
    image.calls = 0;
    EXPECT_TRUE(take());
    EXPECT_EQ(frames_from(all.front()), all);
    return image.calls;
  }

  std::vector<u64> all;
};

TEST_P(Snapshots, CopyOlderChunksAtOnce) {
  DeepCalls python(GetParam());
  constexpr int kOlder = DeepCalls::kChunks;
  // The marks, and since 3.12 a frame of C.
  const int others = python.image.layout.first_c_owner != 0xff ? 2 : 1;
  // Only the first walk reads the header of each chunk.
  const int own = python.has_c_frame() ? 3 : 2;
  EXPECT_EQ(python.calls_of_a_walk(), own + 2 * kOlder + others);
  EXPECT_EQ(python.calls_of_a_walk(), 1 + kOlder + others);
  python.image.put(python.image.thread + python.image.layout.thread.frame, u64{0});
  python.image.calls = 0;
  ASSERT_TRUE(python.take());
  EXPECT_EQ(python.image.calls, 1) << "older chunks only if a walk reaches them";
}

TEST_P(Snapshots, FindThatAnOlderChunkHasChanged) {
  DeepCalls python(GetParam());
  python.calls_of_a_walk();
  const u64 newest = python.image.chunk;
  u64 older = 0, words = 0;
  ASSERT_TRUE(python.image.read_number(newest, older));
  ASSERT_TRUE(python.image.read_number(older + 16, words));
  const usize unused = sizeof(DataChunk) + 8 * (words - InterpreterImage::kFrameBytes / 8);
  python.image.put(older + 16, words - InterpreterImage::kFrameBytes / 8);
  python.calls_of_a_walk();
  SnapshotMemory memory(python.snapshot, python.image);
  EXPECT_FALSE(python.snapshot.holds(older + unused)) << "no longer in use";
  EXPECT_TRUE(python.snapshot.holds(older + unused - 1));
}

TEST_P(Snapshots, CopyNoOlderChunkThatIsDamaged) {
  DeepCalls python(GetParam());
  const u64 newest = python.image.chunk;
  u64 older = 0;
  ASSERT_TRUE(python.image.read_number(newest, older));
  for (const u64 words : {u64{0}, u64{0x2000}, ~u64{0}}) {
    python.image.put(older + 16, words);
    python.calls_of_a_walk();
    EXPECT_FALSE(python.snapshot.holds(older + sizeof(DataChunk))) << words;
  }
  for (const u64 previous : {u64{0}, u64{8}, newest, ~u64{0}}) {
    python.image.put(newest, previous);
    python.calls_of_a_walk();
    EXPECT_FALSE(python.snapshot.holds(older)) << previous;
  }
}

TEST_P(Snapshots, FollowADataStackThatGrows) {
  TwoCalls python(GetParam(), 0x3000);
  ASSERT_TRUE(python.take());
  EXPECT_FALSE(python.snapshot.holds(python.image.chunk + 0x1000));
  ASSERT_TRUE(python.take_with_top(python.image.chunk + 0x1008));
  EXPECT_TRUE(python.snapshot.holds(python.image.chunk + 0x1008));
  ASSERT_TRUE(python.take_with_top(python.image.chunk + 0x800));
  EXPECT_FALSE(python.snapshot.holds(python.image.chunk + 0x1000)) << "it shrinks, too";
}

TEST_P(Snapshots, EndAtTheEndOfThePageOfTheTop) {
  TwoCalls python(GetParam());
  const u64 begin = python.image.chunk;
  ASSERT_TRUE(python.take());
  EXPECT_TRUE(python.snapshot.holds(begin + 0xfff));
  EXPECT_FALSE(python.snapshot.holds(begin + 0x1000));
  std::array<std::byte, 8> word;
  EXPECT_TRUE(python.snapshot.copy(begin + 0xff8, word));
  EXPECT_FALSE(python.snapshot.copy(begin + 0xff9, word)) << "its last byte is missing";
  ASSERT_TRUE(python.take_with_top(begin + 0x1000));
  EXPECT_FALSE(python.snapshot.holds(begin + 0x1000));
  ASSERT_TRUE(python.take_with_top(begin + 0x1008));
  EXPECT_TRUE(python.snapshot.holds(begin + 0x1fff));
  EXPECT_FALSE(python.snapshot.holds(begin + 0x2000));
}

TEST_P(Snapshots, EndAtTheTopIfNoMoreCanBeRead) {
  TwoCalls python(GetParam());
  const u64 code = python.image.add_code(U"g");
  const u64 left = python.image.end() - python.image.take(16) - 16 - 0x400;
  python.image.take(left);
  python.image.add_chunk(0x200);
  const u64 frame = python.image.call(code, 0, false);
  ASSERT_TRUE(python.take());
  EXPECT_TRUE(python.snapshot.holds(frame));
  EXPECT_TRUE(python.snapshot.holds(frame + InterpreterImage::kFrameBytes - 1));
  EXPECT_FALSE(python.snapshot.holds(frame + InterpreterImage::kFrameBytes));
}

TEST_P(Snapshots, CopyNoChunkThatIsMissingOrUnreadable) {
  TwoCalls python(GetParam());
  const u64 data_stack = python.image.thread + python.image.layout.thread.data_stack;
  for (const u64 begin : {u64{0}, u64{8}, python.image.end() - 8}) {
    python.image.put(data_stack, begin);
    python.image.put(data_stack + 8, begin == 0 ? 0 : begin + 0x100);
    ASSERT_TRUE(python.take()) << begin;
    EXPECT_FALSE(python.snapshot.holds(begin)) << begin;
    EXPECT_FALSE(python.snapshot.holds(python.work_frame)) << begin;
    EXPECT_EQ(python.frames_from(python.snapshot.current_frame()), python.both()) << "read in the process";
  }
}

TEST_P(Snapshots, CopyNoChunkWhoseTopIsDamaged) {
  TwoCalls python(GetParam());
  const u64 begin = python.image.chunk;
  for (const u64 top : {u64{0}, begin - 8, begin, begin + sizeof(DataChunk) - 1, ~u64{0}}) {
    ASSERT_TRUE(python.take_with_top(top)) << top;
    EXPECT_FALSE(python.snapshot.holds(python.work_frame)) << top;
    EXPECT_EQ(python.frames_from(python.snapshot.current_frame()), python.both()) << top;
  }
}

TEST_P(Snapshots, CopyNoChunkThatIsTooLarge) {
  TwoCalls python(GetParam(), kCopyLimit + 0x2000);
  const u64 begin = python.image.chunk;
  ASSERT_TRUE(python.take_with_top(begin + kCopyLimit));
  EXPECT_TRUE(python.snapshot.holds(python.work_frame));
  ASSERT_TRUE(python.take_with_top(begin + kCopyLimit + 8));
  EXPECT_FALSE(python.snapshot.holds(python.work_frame));
  EXPECT_EQ(python.frames_from(python.snapshot.current_frame()), python.both()) << "read in the process";
}

TEST(Snapshot, IsMissingIfTheFrameOfCCannotBeRead) {
  for (const int minor : {11, 12}) {
    TwoCalls python(minor);
    python.image.put(python.image.thread + python.image.layout.thread.frame, u64{8});
    EXPECT_FALSE(python.take());
    EXPECT_FALSE(python.snapshot.holds(python.work_frame));
  }
}

// Words before a copy, in it, across its end and after it. Each contains its own address; in the process, the copied
// words have changed since.
struct MixedWords {
  MixedWords() : python(13) {
    begin = python.image.chunk;
    end = begin + 0x1000;
    python.image.put(begin, u64{0});  // there is no older chunk
    for (const u64 place : {begin - 8, begin - 16, begin + 0x800, begin + 0x808, end - 4, end + 8, end + 16})
      python.image.put(place, place);
    EXPECT_TRUE(python.take());
    for (const u64 place : {begin + 0x800, begin + 0x808}) python.image.put(place, u64{1});
    python.image.calls = 0;
  }
  usize read(std::span<const u64> places) {
    words.assign(places.size(), 0);
    std::vector<MemoryPiece> pieces;
    for (usize i = 0; i < places.size(); ++i) pieces.push_back({places[i], bytes_of(words[i])});
    return SnapshotMemory(python.snapshot, python.image).read(pieces);
  }

  TwoCalls python;
  u64 begin = 0, end = 0;
  std::vector<u64> words;
};

TEST(SnapshotMemory, MixesTheCopyAndTheProcessInOrder) {
  MixedWords memory;
  const std::vector<u64> places = {memory.begin + 0x800, memory.begin - 8,     memory.begin - 16, memory.begin + 0x808,
                                   memory.end - 4,       memory.begin + 0x800, memory.end + 8,    memory.end + 16};
  EXPECT_EQ(memory.read(places), places.size());
  EXPECT_EQ(memory.words, places);
  EXPECT_EQ(memory.python.image.calls, 3) << "neighbours outside of the copy are read at once";
  EXPECT_EQ(memory.read({}), 0u);
}

TEST(SnapshotMemory, StopsAtTheFirstPieceThatFails) {
  MixedWords memory;
  const u64 inside = memory.begin + 0x800, outside = memory.end + 8, bad = 8;
  EXPECT_EQ(memory.read(std::array{bad, inside}), 0u);
  EXPECT_EQ(memory.read(std::array{inside, bad, inside}), 1u);
  EXPECT_EQ(memory.read(std::array{inside, outside, bad, inside, outside}), 2u);
  EXPECT_EQ(memory.read(std::array{outside, inside, outside, bad}), 3u);
  EXPECT_EQ(memory.words[0], outside);
  EXPECT_EQ(memory.words[1], inside);
  EXPECT_EQ(memory.words[2], outside);
}

TEST(SnapshotMemory, IsThatOfTheProcessWithoutACopy) {
  MixedWords memory;
  memory.python.snapshot = Snapshot();
  EXPECT_EQ(memory.read(std::array{memory.begin + 0x800}), 1u);
  EXPECT_EQ(memory.words[0], 1u);
}

}  // namespace
}  // namespace wperf::python
