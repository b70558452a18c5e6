// SPDX-License-Identifier: BSD-3-Clause
// Information about open files and the system, requested as JavaScript runtimes do it.
#include <gtest/gtest.h>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtInformation : public ::testing::Test {
 protected:
  static constexpr u64 kOut = 0x2000, kStatusAt = 0x3000;
  static constexpr u64 kBuffer = TestProcess::kArguments + kOut, kStatus = TestProcess::kArguments + kStatusAt;

  u64 stream() { return process.state.handles.add(std::make_shared<File>(File::Type::output, nullptr)); }
  u64 query(u64 handle, u32 information_class, u64 room) {
    return process.call("NtQueryInformationFile", {handle, kStatus, kBuffer, room, information_class});
  }
  u64 set(u64 handle, u32 information_class, u64 size) {
    return process.call("NtSetInformationFile", {handle, kStatus, kBuffer, size, information_class});
  }
  TestProcess process;
};

TEST_F(NtInformation, StandardStreamsAreSynchronousPipesOfBytes) {
  constexpr u32 kMode = 16, kPipe = 23;
  const u64 output = stream();
  ASSERT_EQ(query(output, kMode, 4), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut), 0x20U);
  ASSERT_EQ(query(output, kPipe, 8), kSuccess);
  EXPECT_EQ(process.get<u64>(kOut), 0U) << "bytes, and calls wait";
  EXPECT_EQ(set(output, kPipe, 8), kSuccess);
  process.put<u32>(kOut, 1);
  EXPECT_EQ(set(output, kPipe, 8), kInvalidParameter) << "messages";
}

TEST_F(NtInformation, AllInformationEndsWithTheName) {
  constexpr u32 kAll = 18;
  auto file = std::make_shared<File>(File::Type::folder, nullptr);
  file->path = "\\??\\C:\\work";
  const u64 folder = process.state.handles.add(file);
  EXPECT_EQ(query(folder, kAll, 95), kInfoLengthMismatch);
  EXPECT_EQ(query(folder, kAll, 104), kBufferOverflow) << "room for two letters of the name";
  EXPECT_EQ(process.get<u32>(kOut + 96), 10U);
  ASSERT_EQ(query(folder, kAll, 200), kSuccess);
  EXPECT_EQ(process.get<u64>(kStatusAt + 8), 110U);
  EXPECT_NE(process.get<u32>(kOut + 32) & 0x10, 0U) << "FILE_ATTRIBUTE_DIRECTORY";
  std::array<u16, 5> name{};
  process.state.space.read(kBuffer + 100, name.data(), sizeof name);
  EXPECT_EQ(to_utf8(name), "\\work");
}

TEST_F(NtInformation, EachProcessorHasItsTimes) {
  constexpr u32 kProcessorTimes = 8, kOne = 48;
  const auto times = [&](u64 room) {
    return process.call("NtQuerySystemInformation", {kProcessorTimes, kBuffer, room, kStatus});
  };
  ASSERT_EQ(times(0x400), kSuccess);
  EXPECT_EQ(process.get<u32>(kStatusAt), 4 * kOne);
  ASSERT_EQ(times(2 * kOne), kSuccess);
  EXPECT_EQ(process.get<u32>(kStatusAt), 2 * kOne);
  EXPECT_EQ(times(kOne - 1), kInfoLengthMismatch);
}

TEST_F(NtInformation, TheDriveIsALinkToItsVolume) {
  const auto open = [&](std::string_view name) {
    return process.call("NtOpenSymbolicLinkObject", {process.put<u64>(0x800, 0), 1, process.named(0x1000, name)});
  };
  EXPECT_EQ(open("\\??\\D:"), kObjectNameNotFound);
  ASSERT_EQ(open("\\??\\c:"), kSuccess);
  const auto query = [&](u64 room) {
    const u64 text[2] = {room << 16, kBuffer + 0x10};
    process.put(kOut, text);
    return process.call("NtQuerySymbolicLinkObject", {process.get<u64>(0x800), kBuffer, kStatus});
  };
  EXPECT_EQ(query(44), kBufferTooSmall);
  EXPECT_EQ(process.get<u32>(kStatusAt), 46U);
  ASSERT_EQ(query(46), kSuccess);
  EXPECT_EQ(process.get<u16>(kOut), 46U);
  std::array<u16, 23> target{};
  process.state.space.read(kBuffer + 0x10, target.data(), sizeof target);
  EXPECT_EQ(to_utf8(target), kVolumeDevice);
}

TEST_F(NtInformation, SettingsOfAProcessAreKept) {
  constexpr u64 kPriorityClass = 18, kAffinity = 21, kStack = 41;
  const auto set = [&](u64 kind, u64 size) {
    return process.call("NtSetInformationProcess", {kThisProcess, kind, TestProcess::kArguments + 0x100, size});
  };
  process.put(0x100, u64{8});
  ASSERT_EQ(set(kAffinity, 8), kSuccess);
  EXPECT_EQ(process.state.threads[0]->processor, 3U);
  process.put(0x100, u64{1} << 40);
  EXPECT_EQ(set(kAffinity, 8), kInvalidParameter) << "there are four cores";
  process.put(0x100, std::array<u8, 2>{0, 3});
  ASSERT_EQ(set(kPriorityClass, 2), kSuccess);
  ASSERT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, 0, TestProcess::kArguments + 0x200, 48, 0}),
            kSuccess);
  EXPECT_EQ(process.get(0x210), 8U);
  EXPECT_EQ(process.get(0x218), 3U);
  for (const u64 before : {0, 16}) {  // both forms of the structure
    process.put(0x100 + before, std::array<u64, 3>{0x100000, 0, 0});
    ASSERT_EQ(set(kStack, before + 24), kSuccess);
    const auto reserved = process.state.memory.reservation_of(process.get(0x100 + before + 16));
    ASSERT_TRUE(reserved.has_value());
    EXPECT_EQ(reserved->size, 0x100000U);
  }
}

TEST_F(NtInformation, TicksAreMilliseconds) {
  ASSERT_TRUE(process.state.memory.reserve({.address = kSharedData, .size = 0x1000}) != 0);
  ASSERT_EQ(process.state.memory.commit(kSharedData, 0x1000, kPageReadWrite), kSuccess);
  const auto ticks = [&](u64 now_ns) {
    set_shared_time(process.state, now_ns);
    u64 value = 0;
    process.state.space.read(kSharedData + 0x320, &value, sizeof value);
    return value;
  };
  const u64 before = ticks(0);
  EXPECT_EQ(ticks(1'000'000'000) - before, 1000U);
  EXPECT_EQ(ticks(20'000'000) - before, 15U) << "it is updated 64 times a second";
}

TEST_F(NtInformation, FreeMemoryIsWhatProgramsHaveNotTaken) {
  constexpr u32 kPerformance = 2;
  ASSERT_EQ(process.call("NtQuerySystemInformation", {kPerformance, kBuffer, 344, kStatus}), kSuccess);
  const u64 used = process.state.memory.committed() / kPageSize;
  EXPECT_EQ(process.get<u32>(kOut + 44), kMemoryBytes / kPageSize - used);
  EXPECT_EQ(process.get<u32>(kOut + 48), used);
}

TEST_F(NtInformation, ThereIsNoBattery) {
  constexpr u32 kBattery = 5, kProcessors = 11, kOther = 4;
  const auto ask = [&](u32 level, u64 room) {
    return process.call("NtPowerInformation", {level, 0, 0, kBuffer, room});
  };
  ASSERT_EQ(ask(kBattery, 32), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut), 1U) << "external power, no battery";
  process.state.system->processors = {{"neoverse-n1", 0x413fd0c1, 3000}};
  EXPECT_EQ(ask(kProcessors, 23), kBufferTooSmall);
  ASSERT_EQ(ask(kProcessors, 24), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 3000U);
  EXPECT_EQ(ask(kOther, 100), kNotImplemented);
}

TEST_F(NtInformation, TheClockCannotBeSet) {
  EXPECT_EQ(process.call("NtSetSystemTime", {process.put(0x800, kBootTime), 0}), 0xc0000061U);
}

}  // namespace
}  // namespace wperf::sim::nt
