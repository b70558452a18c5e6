// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace.h"

#include <gtest/gtest.h>

#include <array>

#include "formats/etl/etl_builder_test.h"
#include "formats/etl/known_providers.h"
#include "formats/etl/stack_joiner.h"
#include "formats/etl/trace_history.h"

namespace wperf::etl {
namespace {

using B = TraceBuilder;

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

struct Read {
  std::vector<u64> times;
  std::vector<u16> cores;
  TraceLosses losses;
};

Read read(const std::string& file) {
  Read out;
  const auto trace = Trace::open(bytes_of(file));
  EXPECT_TRUE(trace.has_value());
  if (!trace.has_value()) return out;
  trace.value().for_each_event(
      [&](const Event& event) {
        if (event.group == 0 && event.opcode == 0) return;
        out.times.push_back(event.time);
        out.cores.push_back(event.core);
      },
      out.losses);
  return out;
}

void expect_unrecorded(const TraceLosses& losses, const std::vector<std::array<u64, 3>>& wanted) {
  std::vector<std::array<u64, 3>> got;
  for (const Unrecorded& one : losses.unrecorded) got.push_back({one.core, one.begin, one.end});
  EXPECT_EQ(got, wanted);
}

std::string samples(std::initializer_list<u64> times) {
  std::string out;
  for (const u64 time : times) out += B::sample(time, 0x1000, 7);
  return out;
}

TEST(TraceFile, CoresAreMergedByTime) {
  const std::string file = B::header(100) + B::buffer(samples({110, 140}), 0, 1) +
                           B::buffer(samples({120, 130, 150}), 1, 2) + B::buffer(samples({160}), 0, 3);
  const Read got = read(file);
  EXPECT_EQ(got.times, (std::vector<u64>{110, 120, 130, 140, 150, 160}));
  EXPECT_EQ(got.cores, (std::vector<u16>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(got.losses.out_of_order, 0u);
}

TEST(TraceFile, ManyCores) {
  std::string file = B::header(100);
  for (u16 core = 0; core < 300; ++core) file += B::buffer(samples({1000u - core}), core, core + u64{1});
  const Read got = read(file);
  ASSERT_EQ(got.times.size(), 300u);
  EXPECT_TRUE(std::is_sorted(got.times.begin(), got.times.end()));
  EXPECT_EQ(got.cores.front(), 299);
}

TEST(TraceFile, ARingBeginsAnywhere) {
  constexpr u32 kCircular = 2;
  const std::string file =
      B::header(100, kCircular) + B::buffer(samples({300}), 0, 9) + B::buffer(samples({200}), 0, 8);
  EXPECT_EQ(read(file).times, (std::vector<u64>{200, 300}));
}

TEST(TraceFile, AfterDamageTheNextBufferIsRead) {
  std::string bad = samples({110, 120, 130});
  bad[32 + 4] = 2;  // the size of the second record
  bad[32 + 5] = 0;
  const Read got = read(B::header(100) + B::buffer(bad, 0, 1) + B::buffer(samples({140}), 0, 2));
  EXPECT_EQ(got.times.back(), 140u);
  EXPECT_EQ(got.times.size(), 2u);
  EXPECT_EQ(got.losses.damaged_buffers, 1u);
  EXPECT_GT(got.losses.damaged_bytes, 0u);
}

TEST(TraceFile, ABufferThatTheFileEndsInIsRead) {
  std::string file = B::header(100) + B::buffer(samples({110, 120}), 0, 1);
  file.resize(B::kBufferSize + B::kHeader + 40);
  const Read got = read(file);
  EXPECT_EQ(got.times, (std::vector<u64>{110}));
  EXPECT_EQ(got.losses.cut_buffers, 1u);
}

TEST(TraceFile, LossesAreCounted) {
  const Read got = read(B::header(100) + B::buffer(samples({110}), 0, 1, 2) + B::buffer(samples({120}), 0, 2, 4));
  EXPECT_EQ(got.losses.flagged_events_lost, 1u);
  EXPECT_EQ(got.losses.flagged_buffers_lost, 1u);
}

TEST(Trace, WhereEventsAreMissingIsTold) {
  const Read got = read(B::header(100) + B::buffer(samples({110, 120}), 0, 1) + B::buffer(samples({111}), 1, 2) +
                        B::buffer(samples({150}), 0, 5) + B::buffer(samples({160}), 0, 6, 2));
  EXPECT_EQ(got.losses.missing_buffers, 2u);
  ASSERT_EQ(got.losses.gaps.size(), 2u);
  EXPECT_EQ(got.losses.gaps[0].sign, TraceGap::Sign::numbers);
  EXPECT_EQ(got.losses.gaps[0].buffers, 2u);
  EXPECT_FALSE(got.losses.gaps[0].core.has_value()) << "either's";
  EXPECT_EQ(got.losses.gaps[0].begin, 111u);
  EXPECT_EQ(got.losses.gaps[0].end, 160u) << "core 1 has no later buffer";
  EXPECT_EQ(got.losses.gaps[1].sign, TraceGap::Sign::events_flag);
  EXPECT_EQ(got.losses.gaps[1].core, 0);
  EXPECT_EQ(got.losses.gaps[1].begin, 150u);
  EXPECT_EQ(got.losses.gaps[1].end, 160u);
  expect_unrecorded(got.losses, {{0, 120, 160}, {1, 111, ~u64{0}}, {2, 100, ~u64{0}}, {3, 100, ~u64{0}}});
}

// The machine has four cores. All buffers of a core may be among the missing ones.
TEST(Trace, ACoreWithoutBuffersIsUnknownIfBuffersAreMissing) {
  const std::string first = B::header(100) + B::buffer(samples({110}), 0, 1);
  EXPECT_TRUE(read(first + B::buffer(samples({120}), 1, 2)).losses.unrecorded.empty()) << "these cores had no events";
  expect_unrecorded(read(first + B::buffer(samples({120}), 0, 3)).losses,
                    {{0, 110, 120}, {1, 100, ~u64{0}}, {2, 100, ~u64{0}}, {3, 100, ~u64{0}}});
}

// The file ends between two buffers, so nothing is cut.
TEST(Trace, BuffersAfterTheEndOfAFileAreMissing) {
  std::string file = B::header(100) + B::buffer(samples({110}), 0, 1) + B::buffer(samples({150}), 1, 2);
  file[B::kHeader + 32 + 0x24] = 6;  // the number of written buffers, including the header
  const TraceLosses losses = read(file).losses;
  EXPECT_EQ(losses.cut_buffers, 0u);
  EXPECT_EQ(losses.missing_buffers, 3u);
  EXPECT_EQ(losses.missing_at_end, 3u);
  EXPECT_EQ(losses.buffers_written, 6u);
  ASSERT_FALSE(losses.gaps.empty());
  EXPECT_EQ(losses.gaps[0].sign, TraceGap::Sign::file_end);
  EXPECT_EQ(losses.gaps[0].buffers, 3u);
  EXPECT_FALSE(losses.gaps[0].core.has_value());
  EXPECT_EQ(losses.gaps[0].begin, 110u);
  EXPECT_GT(losses.gaps[0].end, 150u) << "the header says when the session ended";
  file[B::kHeader + 32 + 0x24] = 3;
  EXPECT_EQ(read(file).losses.missing_buffers, 0u);
}

// The numbers of the buffers show how many were written. After the existing buffers, the state of each core is unknown.
TEST(Trace, BehindTheEndOfACutFileNothingIsKnown) {
  const std::string file = B::header(100) + B::buffer(samples({110, 120}), 0, 1) + B::buffer(samples({115, 190}), 1, 2);
  EXPECT_TRUE(read(file).losses.unrecorded.empty());
  const Read cut = read(file.substr(0, file.size() - 8));
  EXPECT_EQ(cut.losses.cut_buffers, 1u);
  expect_unrecorded(cut.losses, {{0, 120, ~u64{0}}, {1, 190, ~u64{0}}, {2, 100, ~u64{0}}, {3, 100, ~u64{0}}});
  ASSERT_EQ(cut.losses.gaps.size(), 1u);
  EXPECT_EQ(cut.losses.gaps[0].sign, TraceGap::Sign::file_end);
  EXPECT_EQ(cut.losses.gaps[0].core, 0);
  EXPECT_EQ(cut.losses.gaps[0].end, 190u);
  std::string fewer = file;
  fewer[B::kHeader + 32 + 0x24] = 4;  // the number of written buffers, including the header
  expect_unrecorded(read(fewer).losses, {{0, 120, ~u64{0}}, {1, 190, ~u64{0}}, {2, 100, ~u64{0}}, {3, 100, ~u64{0}}});
}

TEST(Trace, WhatWasBeforeARingIsUnknown) {
  const Read got = read(B::header(100) + B::buffer(samples({300}), 0, 909) + B::buffer(samples({200}), 1, 908));
  expect_unrecorded(got.losses, {{0, 100, 300}, {1, 100, 200}, {2, 100, ~u64{0}}, {3, 100, ~u64{0}}});
}

// Filler bytes end a buffer only if nothing else follows.
TEST(Trace, WhatFillsABufferIsDamageBeforeRecords) {
  const std::string hole(32, '\xff');
  const Read got = read(B::header(100) + B::buffer(samples({110, 120}) + hole + samples({130}), 0, 1) +
                        B::buffer(samples({140}) + hole, 0, 2));
  EXPECT_EQ(got.times, (std::vector<u64>{110, 120, 140}));
  EXPECT_EQ(got.losses.damaged_buffers, 1u);
  EXPECT_EQ(got.losses.damaged_bytes, hole.size() + samples({130}).size());
  expect_unrecorded(got.losses, {{0, 120, 140}});
  ASSERT_EQ(got.losses.gaps.size(), 1u);
  EXPECT_EQ(got.losses.gaps[0].sign, TraceGap::Sign::damage);
}

TEST(Trace, RingAndContinuedFileHaveNoGaps) {
  const Read got = read(B::header(100) + B::buffer(samples({300}), 0, 909) + B::buffer(samples({200}), 0, 908));
  EXPECT_EQ(got.losses.missing_buffers, 0u) << "what was before the first number is in another file";
}

// One record, followed by a match that is 16 MB long.
TEST(Trace, AFewBytesDoNotBecomeManyRecords) {
  constexpr u32 kMuch = 16 << 20;
  constexpr u16 kPacked = 0x40;
  const std::string record = samples({110});
  std::string packed;
  B::put(packed, u32{0});
  packed += record;
  B::put(packed, u32{0x8000'0000});
  B::put(packed, static_cast<u16>((record.size() - 1) << 3 | 7));
  packed += "\x0f\xff";
  B::put(packed, u16{0});
  B::put(packed, kMuch);
  std::string buffer = B::buffer(packed, 0, 1, kPacked).substr(0, B::kHeader + packed.size());
  const u32 size = static_cast<u32>(buffer.size());
  std::memcpy(buffer.data(), &size, sizeof size);
  std::memcpy(buffer.data() + 0x30, &kMuch, sizeof kMuch);
  std::string header = B::header(100);
  std::memcpy(header.data() + B::kHeader + 32, &kMuch, sizeof kMuch);
  const Read got = read(header + buffer);
  EXPECT_GE(got.times.size(), 1u);
  EXPECT_LT(got.times.size(), 2000u);
  EXPECT_GE(got.losses.damaged_buffers, 1u);
}

diag::Result<Trace> session(const std::vector<std::string>& contents) {
  std::vector<TraceFile> files;
  std::vector<std::string> names;
  for (const std::string& one : contents) {
    files.push_back(TraceFile::open(bytes_of(one)).value());
    names.push_back("file " + std::to_string(files.size()));
  }
  return Trace::of_session(std::move(files), names);
}

TEST(Trace, FilesOfOneSessionAreOneOrder) {
  const std::vector<std::string> files{
      B::header(120, 1, 1, 5'000'000'000) + B::buffer(samples({125, 140}), 0, 1) + B::buffer(samples({130}), 1, 2),
      B::header(100, 1, 1, 5'000'000'001) + B::buffer(samples({110, 130, 150}), 0, 1)};
  const auto trace = session(files);
  ASSERT_TRUE(trace.has_value()) << trace.error().text;
  std::vector<u64> times;
  TraceLosses losses;
  trace.value().for_each_event(
      [&](const Event& event) {
        if (sample_event(event).has_value()) times.push_back(event.time);
      },
      losses);
  EXPECT_EQ(times, (std::vector<u64>{110, 125, 130, 130, 140, 150}));
  EXPECT_EQ(trace.value().nanoseconds(110), 1000u) << "since the one that began first";
  EXPECT_EQ(losses.out_of_order, 0u);
}

TEST(Trace, FilesOfSeveralSessionsAreRefused) {
  const auto other_clock = session({B::header(100), B::header(133'500'000'000'000'000, 1, 2)});
  ASSERT_FALSE(other_clock.has_value());
  EXPECT_NE(other_clock.error().text.find("file 1 and file 2 are not from one session"), std::string::npos);
  EXPECT_FALSE(session({B::header(100, 1, 1, 5'000'000'000), B::header(100, 1, 1, 9'000'000'000)}).has_value())
      << "another boot";
}

TEST(TraceFile, Clocks) {
  const std::string counter = B::header(1000), system = B::header(133'500'000'000'000'000, 1, 2),
                    cycles = B::header(9, 1, 3);
  const auto by_counter = Trace::open(bytes_of(counter));
  EXPECT_EQ(by_counter.value().nanoseconds(1010), 1000u);
  EXPECT_EQ(by_counter.value().nanoseconds(900), 0u) << "before the trace";
  EXPECT_EQ(by_counter.value().file_time(1010), 133'500'000'000'001'010u);
  const auto by_system = Trace::open(bytes_of(system));
  EXPECT_EQ(by_system.value().file_time(133'500'000'000'000'007), 133'500'000'000'000'007u);
  const auto by_cycles = Trace::open(bytes_of(cycles));
  EXPECT_EQ(by_cycles.value().nanoseconds(9 + 3000), 1000u) << "3,000 MHz";
}

TEST(TraceFile, OtherFilesAreNone) {
  EXPECT_FALSE(TraceFile::has_signature(bytes_of(std::string(4096, '\0'))));
  EXPECT_FALSE(TraceFile::has_signature(bytes_of("PERFILE2")));
  EXPECT_FALSE(Trace::open(bytes_of("")).has_value());
  std::string no_clock = B::header(100);
  std::memset(no_clock.data() + B::kHeader + 32 + 0x100, 0, 8);
  EXPECT_FALSE(Trace::open(bytes_of(no_clock)).has_value());
}

struct JoinedStack {
  std::vector<u64> kernel, user;
};

// The joined stacks of the samples in a trace with one core.
std::vector<JoinedStack> join(const std::string& records) {
  const std::string file = B::header(100) + B::buffer(records, 0, 1);
  const auto trace = Trace::open(bytes_of(file));
  StackJoiner joiner;
  std::vector<u32> events;
  TraceLosses losses;
  trace.value().for_each_event(
      [&](const Event& event) {
        if (const auto one = sample_event(event)) events.push_back(joiner.add(event.time, one->thread));
        if (const auto one = stack_event(event)) joiner.take(*one, event.pointer_size);
      },
      losses);
  std::vector<JoinedStack> out;
  for (const u32 event : events) {
    const auto kernel = joiner.frames(joiner.joined(event).kernel), user = joiner.frames(joiner.joined(event).user);
    out.push_back({{kernel.begin(), kernel.end()}, {user.begin(), user.end()}});
  }
  return out;
}

constexpr u64 kKernel = 0xfffff80000001000;

TEST(StackJoiner, OneUserPartServesAllThatWaitForIt) {
  const u64 first[] = {kKernel, kKernel + 1}, second[] = {kKernel + 2}, user[] = {0x10, 0x20};
  const auto got = join(B::sample(110, kKernel, 7) + B::stack(110, 111, 5, 7, first) + B::sample(120, kKernel + 2, 7) +
                        B::stack(120, 121, 5, 7, second) + B::sample(125, 0x99, 8) + B::stack(120, 130, 5, 7, user));
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].kernel, (std::vector<u64>{kKernel, kKernel + 1}));
  EXPECT_EQ(got[0].user, (std::vector<u64>{0x10, 0x20}));
  EXPECT_EQ(got[1].user, (std::vector<u64>{0x10, 0x20}));
  EXPECT_TRUE(got[2].user.empty()) << "another thread";
}

TEST(StackJoiner, TheUserPartOfOneEventIsReplaced) {
  const u64 frames[] = {0x10, 0x20};
  const auto bytes_of_frames = std::as_bytes(std::span(frames));
  StackJoiner joiner;
  for (const u64 time : {110, 120}) {
    joiner.add(time, 7);
    joiner.take({.time = time, .process = 5, .thread = 7, .frames = bytes_of_frames.first(8)}, 8);
  }
  joiner.replace_user({.time = 120, .process = 5, .thread = 7, .frames = bytes_of_frames}, 8);
  joiner.replace_user({.time = 130, .process = 5, .thread = 7, .frames = bytes_of_frames}, 8);
  joiner.replace_user({.time = 110, .process = 5, .thread = 7, .frames = {}}, 8);
  ASSERT_EQ(joiner.count(), 2u);
  EXPECT_EQ(joiner.frames(joiner.joined(0).user).size(), 1u);
  EXPECT_EQ(joiner.frames(joiner.joined(1).user).size(), 2u);
}

TEST(StackJoiner, APartOfBothIsSplit) {
  const u64 both[] = {kKernel, 0x10};
  const auto got = join(B::sample(110, kKernel, 7) + B::stack(110, 111, 5, 7, both));
  EXPECT_EQ(got[0].kernel, (std::vector<u64>{kKernel}));
  EXPECT_EQ(got[0].user, (std::vector<u64>{0x10}));
}

TEST(StackJoiner, StackKeyCanBeReused) {
  const u64 one[] = {0x10}, other[] = {0x20}, kernel[] = {kKernel};
  const auto got =
      join(B::sample(110, 0x10, 7) + B::key(38, 110, 111, 5, 7, 0xabc) + B::sample(112, kKernel, 8) +
           B::key(37, 112, 113, 4, 8, 0xabc) + B::key_is(35, 120, 0xabc, one) + B::key_is(35, 121, 0xabc, kernel) +
           B::sample(130, 0x20, 7) + B::key(38, 130, 131, 5, 7, 0xabc) + B::key_is(36, 140, 0xabc, other));
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].user, (std::vector<u64>{0x10}));
  EXPECT_EQ(got[1].kernel, (std::vector<u64>{kKernel}));
  EXPECT_EQ(got[2].user, (std::vector<u64>{0x20}));
}

std::string image(u8 opcode, u64 time, u64 base, u32 process, std::string_view path) {
  std::string payload;
  B::put(payload, base);
  B::put(payload, u64{0x1000});
  B::put(payload, process);
  B::put(payload, u32{0});
  B::put(payload, u32{0x5f5e});
  B::put(payload, u32{0});
  B::put(payload, base);
  for (int i = 0; i < 4; ++i) B::put(payload, u32{0});
  B::put_wide(payload, path);
  return B::kernel(opcode == 10 ? 0x03 : 0x14, opcode, 3, time, payload);
}

std::string thread(u8 opcode, u64 time, u32 process, u32 number) {
  std::string payload;
  B::put(payload, process);
  B::put(payload, number);
  payload.resize(72);
  return B::kernel(0x05, opcode, 3, time, payload);
}

TraceHistory history_of(const std::string& records) {
  const std::string file = B::header(100) + B::buffer(records, 0, 1);
  const auto trace = Trace::open(bytes_of(file));
  TraceHistory history;
  TraceLosses losses;
  trace.value().for_each_event([&](const Event& event) { history.take(event); }, losses);
  history.finish();
  return history;
}

TEST(TraceHistory, ThreadsAreFoundByTheirTimes) {
  // Thread number 7 is used twice. Number 8 appears only at the end, so that thread existed from the beginning.
  const auto history =
      history_of(thread(1, 110, 5, 7) + thread(2, 120, 5, 7) + thread(1, 130, 6, 7) + thread(4, 190, 9, 8));
  EXPECT_EQ(history.process_of(7, 105), TraceHistory::kNobody) << "before it began";
  EXPECT_EQ(history.process_of(7, 115), 5u);
  EXPECT_EQ(history.process_of(7, 125), 5u) << "while it ends";
  EXPECT_EQ(history.process_of(7, 135), 6u);
  EXPECT_EQ(history.process_of(8, 101), 9u);
  EXPECT_EQ(history.process_of(99, 101), TraceHistory::kNobody);
}

TEST(TraceHistory, ImagesBeginAndEnd) {
  const auto history =
      history_of(image(10, 110, 0x10000, 5, "\\??\\C:\\a.dll") + image(2, 150, 0x10000, 5, "\\??\\C:\\a.dll") +
                 image(4, 190, 0x50000, 5, "D:\\b.dll"));
  ASSERT_EQ(history.images().size(), 2u);
  EXPECT_EQ(history.images()[0].path, "C:\\a.dll");
  EXPECT_EQ(history.images()[0].begin, 110u);
  EXPECT_EQ(history.images()[0].end, 150u);
  EXPECT_EQ(history.images()[1].begin, 0u) << "told at the end: it was there before";
}

// System DLLs have the same base in all processes, and a build starts very many processes.
TEST(TraceHistory, ImagesOfManyProcessesAtOneBaseAreNotSearched) {
  TraceHistory history;
  constexpr u32 kProcesses = 100'000;
  for (u32 process = 1; process <= kProcesses; ++process) {
    const std::string record = image(10, 110 + process, 0x10000, process, "C:\\ntdll.dll");
    Event event;
    ASSERT_NE(parse_event(bytes_of(record), event), 0u);
    EXPECT_TRUE(history.take(event));
  }
  EXPECT_EQ(history.images().size(), kProcesses);
}

std::string process(u8 opcode, u64 time, u32 number, u32 parent) {
  std::string payload;
  B::put(payload, u64{0});
  B::put(payload, number);
  B::put(payload, parent);
  payload.append(4 + 4 + 8 + 4 + 4, '\0');
  payload += "a.exe";
  payload.append(1 + 3 * 2, '\0');
  return B::kernel(0x03, opcode, 4, time, payload);
}

// Numbers of processes are reused, too: process 9 began before the second process 5.
TEST(TraceHistory, AParentLivesWhenItsChildBegins) {
  const auto history = history_of(process(1, 110, 5, 1) + process(1, 115, 7, 5) + process(2, 120, 5, 1) +
                                  process(1, 130, 9, 5) + process(1, 140, 5, 1) + process(1, 150, 11, 5));
  const std::vector<std::pair<u32, u32>> wanted{{1, 5}, {5, 7}, {1, 5}, {5, 11}};
  EXPECT_EQ(history.children(), wanted);
}

// If a reused id appears again only at the end, it belongs to a new thread, not to the first one.
TEST(TraceHistory, ReusedThreadIdInRundownIsLaterThread) {
  const auto history = history_of(thread(1, 110, 5, 7) + thread(2, 120, 5, 7) + thread(4, 190, 9, 7));
  EXPECT_EQ(history.process_of(7, 115), 5u);
  EXPECT_EQ(history.later_threads(7, 115), 1u);
  EXPECT_EQ(history.process_of(7, 150), 9u);
  EXPECT_EQ(history.later_threads(7, 150), 0u);
}

TEST(TraceHistory, ADeviceIsWholePartsOfAPath) {
  TraceHistory history;
  for (const char* path : {"\\Device\\HarddiskVolume1\\a.dll", "\\Device\\HarddiskVolume10\\b.dll"}) {
    const std::string record = image(4, 190, 0x10000 * (history.images().size() + 1), 5, path);
    Event event;
    ASSERT_NE(parse_event(bytes_of(record), event), 0u);
    EXPECT_TRUE(history.take(event));
  }
  history.add_volume({"\\Device\\HarddiskVolume1", "C:"});
  history.add_volume({"\\device\\harddiskvolume10\\", "D:\\"});
  history.finish();
  EXPECT_EQ(history.images()[0].path, "C:\\a.dll");
  EXPECT_EQ(history.images()[1].path, "D:\\b.dll");
}

// Each image's path is compared with all volumes, so their number is limited.
TEST(TraceHistory, VolumesOfADamagedTraceAreBounded) {
  TraceHistory history;
  const std::string record = image(4, 190, 0x10000, 5, "\\Device\\HarddiskVolume999\\a.dll");
  Event event;
  ASSERT_NE(parse_event(bytes_of(record), event), 0u);
  EXPECT_TRUE(history.take(event));
  for (u32 i = 0; i < 1000; ++i) history.add_volume({"\\Device\\HarddiskVolume" + std::to_string(i), "C:"});
  history.finish();
  EXPECT_EQ(history.images()[0].path, "\\Device\\HarddiskVolume999\\a.dll");
}

// A trace that was not merged has the ids of its images at the end, when the program may have ended.
TEST(TraceHistory, LateImageIdBelongsToUnloadedImage) {
  TraceHistory history;
  const auto take = [&](const std::string& record) {
    Event event;
    ASSERT_NE(parse_event(bytes_of(record), event), 0u);
    EXPECT_TRUE(history.take(event));
  };
  take(image(10, 110, 0x10000, 5, "C:\\old.dll"));
  take(image(2, 120, 0x10000, 5, "C:\\old.dll"));
  take(image(10, 130, 0x10000, 5, "C:\\a.dll"));
  take(image(2, 150, 0x10000, 5, "C:\\a.dll"));
  std::string payload;
  B::put(payload, u64{0x10000});
  B::put(payload, u32{5});
  payload.append(16, '\x77');
  B::put(payload, u32{1});
  payload += "a.pdb";
  payload += '\0';
  Event id{.form = EventForm::classic};
  id.provider = guid(0xb3e675d7, 0x2554, 0x4f18, {0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde});
  id.opcode = 36;
  id.time = 190;
  id.payload = bytes_of(payload);
  EXPECT_TRUE(history.take(id));
  history.finish();
  EXPECT_FALSE(history.images()[0].has_pdb);
  EXPECT_TRUE(history.images()[1].has_pdb);
  EXPECT_EQ(history.images()[1].pdb_path, "a.pdb");
}

// Windows 11 writes names after the end of the payload that the version implies; Windows 7 has the same version.
TEST(KernelPayloads, AThreadsNameIsReadByTheLength) {
  std::string payload;
  B::put(payload, u32{5});
  B::put(payload, u32{7});
  payload.resize(72);
  B::put_wide(payload, "worker");
  Event event{.form = EventForm::kernel};
  event.group = 5;
  event.opcode = 3;
  event.version = 3;
  event.payload = bytes_of(payload);
  EXPECT_EQ(thread_event(event)->name, "worker");
  event.payload = event.payload.first(72);
  EXPECT_EQ(thread_event(event)->name, "");
}

TEST(KernelPayloads, PointersAreAsWideAsTheRecordSays) {
  std::string payload;
  B::put(payload, u32{0x80001000});
  B::put(payload, u32{7});
  B::put(payload, u32{1});
  Event event{.form = EventForm::kernel};
  event.group = 0x0f;
  event.opcode = 46;
  event.pointer_size = 4;
  event.payload = bytes_of(payload);
  ASSERT_TRUE(sample_event(event).has_value());
  EXPECT_EQ(sample_event(event)->address, 0x80001000u);
  EXPECT_EQ(sample_event(event)->thread, 7u);
  event.payload = event.payload.first(9);
  EXPECT_FALSE(sample_event(event).has_value());
}

}  // namespace
}  // namespace wperf::etl
