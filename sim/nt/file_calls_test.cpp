// SPDX-License-Identifier: BSD-3-Clause
// Files as several handles see them: refused images, sharing, attributes.
#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

TEST_F(NtFiles, ARefusedImageIsKeptWithTheReason) {
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", 0xa0000000), kSuccess);
  constexpr u64 kImage = 0x1000000;
  ASSERT_EQ(process.call("NtCreateSection", {kAt + 8, 0, 0, 0, kPageReadOnly, kImage, process.get(0)}),
            kInvalidImageFormat);
  std::filesystem::create_symlink("/etc/passwd", folder / "Link.dll");
  EXPECT_EQ(open("\\??\\C:\\work\\Link.dll"), kAccessDenied);
  const auto& refused = process.state.refused_images;
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].first, "hello.txt");
  EXPECT_EQ(refused[0].second, "C:\\work\\Hello.txt is not a Windows program");
  EXPECT_EQ(refused[1].first, "link.dll");
  EXPECT_EQ(refused[1].second, "C:\\work\\Link.dll cannot be opened: it is a link, or not readable");
}

TEST_F(NtFiles, HandlesRestrictEachOther) {
  constexpr std::string_view kFile = "\\??\\C:\\work\\Hello.txt";
  constexpr u32 kReading = 0x80000000, kWriting = 0x40000000, kDeleting = 0x10000, kAsking = 0x80;
  ASSERT_EQ(open_sharing(kFile, kReading | kWriting, 1), kSuccess);
  const u64 first = process.get(0);
  EXPECT_EQ(open_sharing(kFile, kWriting, 7), kSharingViolation) << "the first one lets others only read";
  EXPECT_EQ(open_sharing(kFile, kReading, 1), kSharingViolation) << "the first one writes";
  EXPECT_EQ(open_sharing(kFile, kDeleting, 7), kSharingViolation);
  EXPECT_EQ(open_sharing(kFile, kWriting, 7, 5), kSharingViolation) << "it must not be emptied either";
  EXPECT_EQ(process.call("NtDeleteFile", {process.named(0x1000, kFile)}), kSharingViolation);
  EXPECT_EQ(open_sharing(kFile, kAsking, 0), kSuccess);
  ASSERT_EQ(open_sharing(kFile, kReading, 3), kSuccess);
  const u64 second = process.get(0);
  EXPECT_EQ(process.call("NtDuplicateObject", {kThisProcess, first, kThisProcess, kAt + 8, 0, 0, 2}), kSuccess);
  EXPECT_EQ(process.call("NtClose", {first}), kSuccess);
  EXPECT_EQ(open_sharing(kFile, kWriting, 7), kSharingViolation) << "the first one has another handle";
  EXPECT_EQ(process.call("NtClose", {process.get(8)}), kSuccess);
  EXPECT_EQ(open_sharing(kFile, kWriting, 7), kSuccess);
  EXPECT_EQ(process.call("NtClose", {second}), kSuccess);
  std::ifstream stream(folder / "Hello.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "hello, world");
}

TEST_F(NtFiles, AFileThatWillBeDeletedIsNotOpened) {
  constexpr std::string_view kFile = "\\??\\C:\\work\\Hello.txt";
  constexpr u64 kDisposition = 13;
  const auto set = [&](u64 file, u8 ends) {
    process.put(0x100, ends);
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x100, 1, kDisposition});
  };
  ASSERT_EQ(open(kFile), kSuccess);
  EXPECT_EQ(set(process.get(0), 1), kAccessDenied) << "the handle has no right to delete";
  ASSERT_EQ(open(kFile, 0x10000), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(set(file, 1), kSuccess);
  EXPECT_EQ(open(kFile), kDeletePending);
  EXPECT_EQ(process.call("NtDeleteFile", {process.named(0x1000, kFile)}), kDeletePending);
  EXPECT_EQ(set(file, 0), kSuccess);
  EXPECT_EQ(open(kFile), kSuccess);
  EXPECT_EQ(process.call("NtClose", {file}), kSuccess);
  EXPECT_TRUE(std::filesystem::exists(folder / "Hello.txt"));
}

TEST_F(NtFiles, ANameIsOnlyRemovedWithItsOwnFile) {
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", 0x80010000, 1, 0x1020), kSuccess);  // deletes it when it is closed
  const u64 file = process.get(0);
  std::filesystem::rename(folder / "Hello.txt", folder / "elsewhere");
  std::ofstream(folder / "Hello.txt") << "another file";
  EXPECT_EQ(process.call("NtClose", {file}), kSuccess);
  EXPECT_TRUE(std::filesystem::exists(folder / "Hello.txt"));
}

TEST_F(NtFiles, LettersOfAllAlphabetsHaveTwoCases) {
  std::ofstream(folder / "Ärger Ж") << "x";
  EXPECT_EQ(open("\\??\\C:\\work\\äRGER ж"), kSuccess);
  ASSERT_EQ(open("\\??\\C:\\work", 0x80000000, 1, 1), kSuccess);
  const u64 handle = process.get(0);
  const auto count = [&](std::string_view mask) {
    process.named(0x1000, mask);  // the UNICODE_STRING is at 0x1040
    const u64 status = process.call("NtQueryDirectoryFile",
                                    {handle, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 0x1000, 12, 1, kAt + 0x1040, 1});
    return status == kSuccess ? process.get<u32>(0x4008) / 2 : 0;
  };
  EXPECT_EQ(count("ärger ж"), 7u);
  EXPECT_EQ(count("?RGER ?"), 7u) << "a sign stands for a letter, not for a byte";
  EXPECT_EQ(count("??rger*"), 0u);
}

struct NtAttributes : NtFiles {
  static constexpr std::string_view kFile = "\\??\\C:\\work\\Hello.txt";
  struct Basic {
    u64 created = 0, read = 0, written = 0, changed = 0;
    u32 attributes = 0, padding = 0;
  };
  u64 set(u64 file, const Basic& basic) {
    process.put(0x100, basic);
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x100, sizeof basic, 4});
  }
  u64 rename(u64 file, std::string_view name, u8 replaces) {
    const std::vector<u16> units = to_utf16(name);
    process.put(0x100, u64{replaces});
    process.put(0x108, u64{0});
    process.put(0x110, static_cast<u32>(units.size() * 2));
    process.state.space.write(kAt + 0x114, units.data(), units.size() * 2);
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x100, 0x200, 10});
  }
  Basic named() {
    EXPECT_EQ(process.call("NtQueryAttributesFile", {process.named(0x1000, kFile), kAt + 0x200}), kSuccess);
    return process.get<Basic>(0x200);
  }
};

TEST_F(NtAttributes, ReadOnlyFilesAreNotChanged) {
  ASSERT_EQ(open(kFile, 0x100), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(set(file, {.attributes = 0x21}), kSuccess);
  EXPECT_EQ(named().attributes, 0x21u);
  EXPECT_EQ(open(kFile, 0x40000000), kAccessDenied);
  EXPECT_EQ(open(kFile, 0x80000000, 5), kAccessDenied) << "it would be emptied";
  EXPECT_EQ(open(kFile, 0x10000, 1, 0x1020), kCannotDelete);
  EXPECT_EQ(process.call("NtDeleteFile", {process.named(0x1000, kFile)}), kCannotDelete);
  EXPECT_EQ(open(kFile, 0x80010000), kSuccess);
  process.put(0x100, u8{1});
  EXPECT_EQ(process.call("NtSetInformationFile", {process.get(0), kAt + 0x10, kAt + 0x100, 1, 13}), kCannotDelete);
  process.put(0x100, u32{0x11});  // also if it is read-only
  EXPECT_EQ(process.call("NtSetInformationFile", {process.get(0), kAt + 0x10, kAt + 0x100, 4, 64}), kSuccess);
  process.put(0x100, u32{0});
  EXPECT_EQ(process.call("NtSetInformationFile", {process.get(0), kAt + 0x10, kAt + 0x100, 4, 64}), kSuccess);
  EXPECT_EQ(set(file, {.attributes = 0x80}), kSuccess);
  EXPECT_EQ(named().attributes, 0x20u);
  EXPECT_EQ(open(kFile, 0x40000000), kSuccess);
}

TEST_F(NtAttributes, TimesAreKept) {
  constexpr u64 kRead = (11'644'473'600 + 2000) * 10'000'000ull, kWritten = (11'644'473'600 + 1000) * 10'000'000ull;
  ASSERT_EQ(open(kFile, 0x100), kSuccess);
  EXPECT_EQ(set(process.get(0), {.read = kRead, .written = kWritten}), kSuccess);
  EXPECT_EQ(set(process.get(0), {.read = ~u64{0}, .written = ~u64{0}}), kSuccess);
  EXPECT_EQ(named().read, kRead);
  EXPECT_EQ(named().written, kWritten);
}

TEST_F(NtAttributes, ARenameReplacesOnlyFilesThatNobodyUses) {
  std::ofstream(folder / "new") << "new";
  std::filesystem::create_directory(folder / "sub");
  ASSERT_EQ(open(kFile), kSuccess);
  const u64 used = process.get(0);
  ASSERT_EQ(open("\\??\\C:\\work\\new", 0x10000), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(rename(file, kFile, 0), kObjectNameCollision);
  EXPECT_EQ(rename(file, kFile, 1), kAccessDenied);
  EXPECT_EQ(rename(file, "\\??\\C:\\work\\sub", 1), kAccessDenied);
  EXPECT_EQ(rename(file, "\\??\\C:\\work\\NEW", 0), kSuccess) << "only its case";
  EXPECT_TRUE(std::filesystem::exists(folder / "NEW"));
  EXPECT_EQ(process.call("NtClose", {used}), kSuccess);
  EXPECT_EQ(rename(file, kFile, 1), kSuccess);
  EXPECT_EQ(std::filesystem::file_size(folder / "Hello.txt"), 3u);
}

TEST_F(NtFiles, AFileGetsASecondName) {
  constexpr std::string_view kFile = "\\??\\C:\\work\\Hello.txt";
  constexpr u32 kLink = 11, kStandard = 5;
  const auto link = [&](u64 file, std::string_view name, u8 replaces) {
    const std::vector<u16> units = to_utf16(name);
    process.put(0x2000, std::array<u64, 3>{replaces, 0, units.size() * 2});
    process.state.space.write(kAt + 0x2000 + 20, units.data(), units.size() * 2);
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x2000, 20 + units.size() * 2, kLink});
  };
  ASSERT_EQ(open(kFile), kSuccess);
  const u64 file = process.get(0);
  ASSERT_EQ(link(file, "\\??\\C:\\work\\second.txt", 0), kSuccess);
  EXPECT_EQ(std::filesystem::hard_link_count(folder / "Hello.txt"), 2U);
  ASSERT_EQ(process.call("NtQueryInformationFile", {file, kAt + 0x10, kAt + 0x100, 24, kStandard}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x110), 2U);
  EXPECT_EQ(link(file, "\\??\\C:\\work\\SECOND.txt", 0), kObjectNameCollision);
  EXPECT_EQ(link(file, "\\??\\C:\\windows\\x.txt", 0), kObjectNameNotFound);
  EXPECT_EQ(link(file, "\\??\\C:\\work\\..\\..\\x.txt", 0), kObjectNameInvalid);
  std::ofstream(folder / "third.txt") << "other";
  ASSERT_EQ(link(file, "\\??\\C:\\work\\third.txt", 1), kSuccess);
  EXPECT_EQ(std::filesystem::hard_link_count(folder / "Hello.txt"), 3U);
  ASSERT_EQ(open("\\??\\C:\\work", 0x80000000, 1, 0x21), kSuccess);
  EXPECT_EQ(link(process.get(0), "\\??\\C:\\work\\folder", 0), kFileIsDirectory);
}

TEST_F(NtFiles, AMaskKeepsTheLastDot) {
  for (const char* const name : {"noext", "b.c.txt", ".hid"}) std::ofstream(folder / name) << "x";
  // Lists a folder with one class of information, and returns the names in the answer.
  const auto list = [&](std::string_view mask, u64 kind, u64 name_at) {
    EXPECT_EQ(open("\\??\\C:\\work", 0x80000000, 1, 0x21), kSuccess);
    (void)process.named(0x1000, mask);
    EXPECT_EQ(process.call("NtQueryDirectoryFile",
                           {process.get(0), 0, 0, 0, kAt + 0x10, kAt + 0x4000, 0x1000, kind, 0, kAt + 0x1040, 0}),
              kSuccess);
    std::string names;
    for (u64 at = 0x4000;;) {
      std::vector<u16> units(process.get<u32>(at + 60) / 2);
      process.state.space.read(kAt + at + name_at, units.data(), units.size() * 2);
      names += to_utf8(units) + "|";
      const u32 distance = process.get<u32>(at);
      if (distance == 0) return names;
      at += distance;
    }
  };
  constexpr u64 kPlain = 1, kLongIndex = 60, kLongIndexAndShortName = 63;
  EXPECT_EQ(list("<", kPlain, 64), ".|..|noext|") << "*. of FindFirstFile";
  EXPECT_EQ(list("<.txt", kPlain, 64), "Hello.txt|b.c.txt|");
  EXPECT_EQ(list("*", kLongIndex, 88), list("*", kPlain, 64));
  EXPECT_EQ(list("*", kLongIndexAndShortName, 114), list("*", kPlain, 64));
}

TEST_F(NtFiles, LocksForbidReadingAndWriting) {
  constexpr u64 kGenericBoth = 0xc0000000;
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", kGenericBoth), kSuccess);
  const u64 one = process.get(0);
  ASSERT_EQ(open("\\??\\C:\\work\\HELLO.txt", kGenericBoth), kSuccess);
  const u64 other = process.get(0);
  const auto lock = [&](u64 file, u64 begin, u64 size, bool exclusive) {
    process.put(0x20, begin);
    process.put(0x28, size);
    return process.call("NtLockFile", {file, 0, 0, 0, 0, kAt + 0x20, kAt + 0x28, 0, 1, exclusive});
  };
  const auto transfer = [&](std::string_view call, u64 file, u64 begin, u64 size) {
    process.put(0x30, begin);
    return process.call(call, {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, size, kAt + 0x30, 0});
  };
  ASSERT_EQ(lock(one, 0, 4, true), kSuccess);
  EXPECT_EQ(transfer("NtReadFile", other, 2, 5), kFileLockConflict);
  EXPECT_EQ(transfer("NtWriteFile", other, 3, 1), kFileLockConflict);
  EXPECT_EQ(transfer("NtReadFile", other, 2, 0), kSuccess);
  EXPECT_EQ(transfer("NtReadFile", other, 4, 5), kSuccess);
  EXPECT_EQ(transfer("NtReadFile", one, 0, 5), kSuccess) << "its own lock";
  EXPECT_EQ(transfer("NtWriteFile", one, 0, 1), kSuccess);
  ASSERT_EQ(lock(other, 6, 2, false), kSuccess);
  EXPECT_EQ(transfer("NtReadFile", one, 6, 1), kSuccess) << "a shared lock";
  EXPECT_EQ(transfer("NtWriteFile", one, 6, 1), kFileLockConflict);
  EXPECT_EQ(transfer("NtWriteFile", other, 6, 1), kFileLockConflict) << "its owner may not write, either";
  ASSERT_EQ(lock(other, 12, 10, true), kSuccess);
  EXPECT_EQ(transfer("NtWriteFile", one, ~u64{0}, 1), kFileLockConflict) << "at the end of the file";
  ASSERT_EQ(process.call("NtClose", {one}), kSuccess);
  EXPECT_EQ(transfer("NtReadFile", other, 2, 5), kSuccess) << "locks end with their file";
}

TEST_F(NtFiles, GetOnePortIfTheyAreOverlapped) {
  constexpr u64 kCompletion = 30, kReplace = 61;
  ASSERT_EQ(process.call("NtCreateIoCompletion", {kAt, 0, 0, 0}), kSuccess);
  process.put(0x100, std::array<u64, 2>{process.get(0), 5});
  const auto associate = [&](u64 file, u64 kind) {
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x100, 16, kind});
  };
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  EXPECT_EQ(associate(process.get(0), kCompletion), kInvalidParameter) << "it is synchronous";
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", 0x80000000, 1, 0), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(associate(file, kCompletion), kSuccess);
  EXPECT_EQ(associate(file, kCompletion), kInvalidParameter) << "it has a port";
  EXPECT_EQ(associate(file, kReplace), kSuccess);
  process.put(0x100, std::array<u64, 2>{0, 0});
  EXPECT_EQ(associate(file, kReplace), kSuccess) << "it has none now";
  process.put(0x100, std::array<u64, 2>{0x7770, 0});
  EXPECT_EQ(associate(file, kCompletion), kInvalidHandle);
}

TEST_F(NtFiles, AreNeitherLinksNorSparse) {
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  const u64 file = process.get(0);
  const auto control = [&](u64 code, u64 input, u64 output) {
    return process.call("NtFsControlFile", {file, 0, 0, 0, kAt + 0x10, code, kAt + 0x100, input, kAt + 0x200, output});
  };
  EXPECT_EQ(control(0x900a8, 0, 0x4000), 0xc0000275U) << "FSCTL_GET_REPARSE_POINT";
  EXPECT_EQ(control(0x900c4, 0, 0), kSuccess) << "FSCTL_SET_SPARSE";
  process.put(0x200, u16{7});
  EXPECT_EQ(control(0x9003c, 0, 2), kSuccess) << "FSCTL_GET_COMPRESSION";
  EXPECT_EQ(process.get<u16>(0x200), 0);
  process.put(0x100, u64{5});
  process.put(0x108, u64{100});
  EXPECT_EQ(control(0x940cf, 16, 15), kBufferTooSmall) << "FSCTL_QUERY_ALLOCATED_RANGES";
  EXPECT_EQ(control(0x940cf, 16, 16), kSuccess);
  EXPECT_EQ(process.get(0x200), 5U);
  EXPECT_EQ(process.get(0x208), 7U) << "to the end of the file";
  EXPECT_EQ(process.get(0x18), 16U);
  process.put(0x100, u64{12});
  EXPECT_EQ(control(0x940cf, 16, 16), kSuccess);
  EXPECT_EQ(process.get(0x18), 0U);
  EXPECT_EQ(control(0x900a4, 0, 0), kInvalidDeviceRequest);
}

TEST_F(NtFiles, HaveOneStreamAndNoCompression) {
  constexpr u32 kStreams = 22, kCompression = 28;
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  const u64 file = process.get(0);
  ASSERT_EQ(process.call("NtQueryInformationFile", {file, kAt + 0x10, kAt + 0x100, 64, kStreams}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x104), 14U);
  EXPECT_EQ(process.get(0x108), 12U);
  EXPECT_EQ(process.get<u16>(0x118), u16{':'});
  ASSERT_EQ(process.call("NtQueryInformationFile", {file, kAt + 0x10, kAt + 0x100, 16, kCompression}), kSuccess);
  EXPECT_EQ(process.get(0x100), 12U);
  EXPECT_EQ(process.get(0x108), 0U);
}

}  // namespace
}  // namespace wperf::sim::nt
