// SPDX-License-Identifier: BSD-3-Clause
// Folders that a program watches.
#include <string>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

struct NtWatches : NtFiles {
  static constexpr u64 kStatus = kAt + 0x20, kBuffer = kAt + 0x4000;
  static constexpr u32 kNames = 3, kWritten = 0x10, kReading = 0x80000000, kWriting = 0x40000000;
  static constexpr u64 kCleanup = 0x10b, kTooMuch = 0x10c;

  void SetUp() override {
    NtFiles::SetUp();
    std::filesystem::create_directories(folder / "Sub" / "below");
    ASSERT_EQ(open("\\??\\C:\\work\\sub", kReading, 1, 1), kSuccess);
    watched = process.get(0);
    ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 0, 0}), kSuccess);
    event = process.get(0);
  }
  u64 watch(u64 size = 0x200, bool below = false, u32 about = kNames | kWritten) {
    return process.call("NtNotifyChangeDirectoryFile", {watched, event, 0, 0, kStatus, kBuffer, size, about, below});
  }
  void make(std::string_view name) {
    EXPECT_EQ(open(name, kWriting, 2, 0x20), kSuccess);
    EXPECT_EQ(process.call("NtClose", {process.get(0)}), kSuccess);
  }
  void remove(std::string_view name) {
    EXPECT_EQ(process.call("NtDeleteFile", {process.named(0x1000, name)}), kSuccess);
  }
  bool has_ended() const { return process.state.handles.at<Event>(event)->signalled; }
  // The changes in the buffer, as "1 name 2 name".
  std::string changes() {
    std::string text;
    u64 at = 0x4000;
    for (u32 distance = 1; distance != 0; at += distance) {
      distance = process.get<u32>(at);
      std::vector<u16> units(process.get<u32>(at + 8) / 2);
      process.state.space.read(kAt + at + 12, units.data(), units.size() * 2);
      text += (text.empty() ? "" : " ") + std::to_string(process.get<u32>(at + 4)) + " " + to_utf8(units);
    }
    return text;
  }

  u64 watched = 0, event = 0;
};

TEST_F(NtWatches, TheHomeOfTheProgramCanBeWatchedToo) {
  ASSERT_TRUE(process.state.files.make_home());
  ASSERT_EQ(open("\\??\\C:\\users\\user", kReading, 1, 1), kSuccess);
  watched = process.get(0);
  ASSERT_EQ(watch(), kPending);
  make("\\??\\C:\\work\\sub\\elsewhere");
  EXPECT_FALSE(has_ended());
  make("\\??\\C:\\Users\\user\\settings");
  ASSERT_TRUE(has_ended());
  EXPECT_EQ(changes(), "1 settings");
}

TEST_F(NtWatches, ACallEndsWithTheNextChangeInItsFolder) {
  ASSERT_EQ(watch(), kPending);
  make("\\??\\C:\\work\\elsewhere");
  make("\\??\\C:\\work\\sub\\below\\deep");
  EXPECT_FALSE(has_ended());
  make("\\??\\C:\\work\\SUB\\ä");
  ASSERT_TRUE(has_ended());
  EXPECT_EQ(process.get(0x20), kSuccess);
  EXPECT_EQ(process.get(0x28), 14u);
  EXPECT_EQ(changes(), "1 ä");
}

TEST_F(NtWatches, ChangesBetweenTwoCallsAreKept) {
  ASSERT_EQ(watch(0x200, true), kPending);
  make("\\??\\C:\\work\\sub\\below\\a");
  ASSERT_TRUE(has_ended());
  EXPECT_EQ(changes(), "1 below\\a");
  remove("\\??\\C:\\work\\sub\\below\\a");
  ASSERT_EQ(open("\\??\\C:\\work\\sub\\new", kWriting | 0x10000, 2), kSuccess);
  const u64 file = process.get(0);
  for (int count = 0; count < 3; ++count)
    ASSERT_EQ(process.call("NtWriteFile", {file, 0, 0, 0, kAt + 0x10, kBuffer, 4, 0, 0}), kSuccess);
  EXPECT_EQ(open("\\??\\C:\\work\\sub\\folder", kReading, 2, 1), kSuccess);
  ASSERT_EQ(watch(), kPending);
  ASSERT_TRUE(has_ended());
  EXPECT_EQ(changes(), "2 below\\a 1 new 3 new 1 folder") << "the kinds of changes are those of the first call";
}

TEST_F(NtWatches, ANameThatChangesIsTwoChanges) {
  ASSERT_EQ(watch(0x200, true, kNames), kPending);
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", 0x10000), kSuccess);
  const u64 file = process.get(0);
  const auto rename = [&](std::string_view name) {
    const std::vector<u16> units = to_utf16(name);
    const u64 header[2] = {0, 0};
    process.put(0x100, header);
    process.put(0x110, static_cast<u32>(units.size() * 2));
    process.state.space.write(kAt + 0x114, units.data(), units.size() * 2);
    EXPECT_EQ(process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x100, 0x200, 10}), kSuccess);
  };
  rename("\\??\\C:\\work\\sub\\a");
  EXPECT_EQ(changes(), "1 a") << "it comes from another folder";
  rename("\\??\\C:\\work\\sub\\b");
  rename("\\??\\C:\\work\\sub\\below\\b");
  ASSERT_EQ(watch(), kPending);
  EXPECT_EQ(changes(), "4 a 5 b 2 b 1 below\\b");
}

TEST_F(NtWatches, TooManyChangesAreOnlyReportedAsSuch) {
  ASSERT_EQ(watch(16), kPending);
  make("\\??\\C:\\work\\sub\\long name");
  ASSERT_TRUE(has_ended());
  EXPECT_EQ(process.get(0x20), kTooMuch);
  EXPECT_EQ(process.get(0x28), 0u);
  ASSERT_EQ(watch(16), kPending);
  EXPECT_FALSE(has_ended()) << "nothing has happened since";
  EXPECT_EQ(process.call("NtNotifyChangeDirectoryFile", {watched, event, 0, 0, kStatus, 0x10, 16, kNames, 0}),
            kAccessViolation);
}

TEST_F(NtWatches, CallsEndWhenTheyAreCancelledOrTheFolderIsClosed) {
  ASSERT_EQ(watch(), kPending);
  EXPECT_EQ(process.call("NtCancelIoFileEx", {watched, kStatus, kAt + 0x40}), kSuccess);
  EXPECT_EQ(process.get(0x20), kCancelled);
  ASSERT_EQ(watch(), kPending);
  EXPECT_EQ(process.call("NtClose", {watched}), kSuccess);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(process.get(0x20), kCleanup);
  EXPECT_TRUE(process.state.system->watches.all().empty());
  make("\\??\\C:\\work\\sub\\a");
}

TEST_F(NtWatches, OnlyFoldersThatMayBeListedAreWatched) {
  EXPECT_EQ(watch(0x200, false, 0), kInvalidParameter);
  EXPECT_EQ(watch(0x200, false, 0x1000), kInvalidParameter);
  ASSERT_EQ(open("\\??\\C:\\work\\sub", 0x100080, 1, 1), kSuccess);
  watched = process.get(0);
  EXPECT_EQ(watch(), kAccessDenied);
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  watched = process.get(0);
  EXPECT_EQ(watch(), kInvalidParameter);
  ASSERT_EQ(open("\\??\\C:\\", kReading, 1, 1), kSuccess);
  watched = process.get(0);
  EXPECT_EQ(watch(), kNotSupported) << "nothing is ever added to the drive's root";
}

}  // namespace
}  // namespace wperf::sim::nt
