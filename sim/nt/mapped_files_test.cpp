// SPDX-License-Identifier: BSD-3-Clause
// Files that programs map: all views and handles of a file show the same bytes.
#include <string>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

constexpr std::string_view kFile = "\\??\\C:\\work\\Hello.txt";
constexpr u32 kReading = 0x80000000, kWriting = 0x40000000, kCommitted = 0x8000000;
constexpr u64 kEndInformation = 20;

struct NtMappedFiles : NtFiles {
  void SetUp() override {
    NtFiles::SetUp();
    ASSERT_EQ(open(kFile, kReading | kWriting), kSuccess);
    file = process.get(0);
  }
  // Returns the handle, or 0.
  u64 section(u32 protection, u64 size = 0) {
    const u64 size_at = size == 0 ? 0 : process.put(0x40, size);
    return (status = process.call("NtCreateSection", {kAt + 8, 0, 0, size_at, protection, kCommitted, file})) ==
                   kSuccess
               ? process.get(8)
               : 0;
  }
  // Returns the address, or 0.
  u64 view(u64 of_section, u32 protection, u64 offset = 0) {
    process.put(0x20, std::array<u64, 2>{0, 0});
    process.put(0x30, offset);
    status = process.call("NtMapViewOfSection",
                          {of_section, kThisProcess, kAt + 0x20, 0, 0, kAt + 0x30, kAt + 0x28, 1, 0, protection});
    return status == kSuccess ? process.get(0x20) : 0;
  }
  std::string text_at(u64 address, usize size = 12) {
    std::string text(size, '\0');
    EXPECT_TRUE(process.state.space.read(address, text.data(), size));
    return text;
  }
  void write_at(u64 address, std::string_view text) { process.state.space.write(address, text.data(), text.size()); }
  u64 write_file(u64 offset, std::string_view text) {
    process.state.space.write(kAt + 0x4000, text.data(), text.size());
    return process.call("NtWriteFile",
                        {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, text.size(), process.put(0x50, offset), 0});
  }
  std::string on_disk() const {
    std::ifstream stream(folder / "Hello.txt");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  u64 file = 0, status = 0;
};

TEST_F(NtMappedFiles, AllViewsReadsAndWritesSeeTheSameBytes) {
  const u64 first = section(kPageReadWrite), second = section(kPageReadWrite), reading = section(kPageReadOnly);
  const u64 one = view(first, kPageReadWrite), other = view(second, kPageReadWrite);
  const u64 read_only = view(reading, kPageReadOnly);
  ASSERT_TRUE(one != 0 && other != 0 && read_only != 0);
  EXPECT_EQ(text_at(one), "hello, world");
  write_at(one, "HELLO");
  EXPECT_EQ(text_at(other), "HELLO, world");
  EXPECT_EQ(text_at(read_only), "HELLO, world");
  EXPECT_EQ(read(file, 5), "HELLO");
  ASSERT_EQ(write_file(7, "WORLD"), kSuccess);
  for (const u64 at : {one, other, read_only}) EXPECT_EQ(text_at(at), "HELLO, WORLD");
  ASSERT_EQ(process.call("NtUnmapViewOfSection", {kThisProcess, one}), kSuccess);
  write_at(other, "h");
  EXPECT_EQ(on_disk(), "hELLO, WORLD") << "unmapping the first view did not bring back old bytes";
}

TEST_F(NtMappedFiles, CopyOnWriteStaysInTheView) {
  const u64 of_section = section(kPageWriteCopy);
  const u64 at = view(of_section, kPageWriteCopy);
  ASSERT_NE(at, 0U);
  write_at(at, "HELLO");
  EXPECT_EQ(text_at(at), "HELLO, world");
  EXPECT_EQ(on_disk(), "hello, world");
}

TEST_F(NtMappedFiles, AMappedFileGrowsButDoesNotShrink) {
  const u64 of_section = section(kPageReadWrite, 100);
  ASSERT_NE(of_section, 0U);
  EXPECT_EQ(on_disk().size(), 100U);
  const u64 at = view(of_section, kPageReadWrite);
  const auto set_end = [&](u64 bytes) {
    process.put(0x60, bytes);
    return process.call("NtSetInformationFile", {file, kAt + 0x10, kAt + 0x60, 8, kEndInformation});
  };
  EXPECT_EQ(set_end(99), kUserMappedFile);
  EXPECT_EQ(set_end(200), kSuccess);
  EXPECT_EQ(open(kFile, kReading | kWriting, 5), kUserMappedFile) << "it would become empty";
  ASSERT_EQ(process.call("NtUnmapViewOfSection", {kThisProcess, at}), kSuccess);
  EXPECT_EQ(set_end(12), kUserMappedFile) << "the section is still open";
  ASSERT_EQ(process.call("NtClose", {of_section}), kSuccess);
  EXPECT_EQ(set_end(12), kSuccess);
}

TEST_F(NtMappedFiles, TheRightsOfTheFileAndOfTheSectionHold) {
  ASSERT_EQ(open(kFile, kReading), kSuccess);
  EXPECT_EQ(process.call("NtCreateSection", {kAt + 8, 0, 0, 0, kPageReadWrite, kCommitted, process.get(0)}),
            kAccessDenied);
  const u64 of_section = section(kPageReadOnly);
  EXPECT_EQ(view(of_section, kPageReadWrite), 0U);
  EXPECT_EQ(status, kSectionProtection);
  EXPECT_EQ(view(of_section, kPageReadOnly, 4096), 0U);
  EXPECT_EQ(status, kMappedAlignment);
}

TEST_F(NtMappedFiles, AFileThatTheHostTruncatesReadsAsZeros) {
  const u64 of_section = section(kPageReadWrite, 3 * kPageSize);
  const u64 at = view(of_section, kPageReadWrite);
  ASSERT_NE(at, 0U);
  write_at(at + 2 * kPageSize, "end");
  std::filesystem::resize_file(folder / "Hello.txt", 5);
  EXPECT_EQ(text_at(at, 5), "hello");
  EXPECT_EQ(text_at(at + 2 * kPageSize, 3), std::string(3, '\0'));
  write_at(at + 2 * kPageSize, "new");
  EXPECT_EQ(text_at(at + 2 * kPageSize, 3), "new");
  EXPECT_EQ(on_disk(), "hello");
}

TEST_F(NtFiles, ViewsOfAFileAreInNobodysWay) {
  ASSERT_EQ(open_sharing(kFile, 0xc0000000, 0), kSuccess);
  ASSERT_EQ(process.call("NtCreateSection", {kAt + 8, 0, 0, 0, kPageReadWrite, 0x8000000, process.get(0)}), kSuccess);
  EXPECT_EQ(open_sharing(kFile, 0x80000000, 7), kSharingViolation);
  EXPECT_EQ(process.call("NtClose", {process.get(0)}), kSuccess);
  EXPECT_EQ(open_sharing(kFile, 0xc0000000, 0), kSuccess);
}

TEST_F(NtFiles, AViewHasTheNameOfItsFile) {
  constexpr u32 kMappedFile = 2;
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  ASSERT_EQ(process.call("NtCreateSection", {kAt + 8, 0, 0, 0, kPageReadOnly, 0x8000000, process.get(0)}), kSuccess);
  process.put(0x20, std::array<u64, 2>{0, 0});
  ASSERT_EQ(process.call("NtMapViewOfSection",
                         {process.get(8), kThisProcess, kAt + 0x20, 0, 0, 0, kAt + 0x28, 1, 0, kPageReadOnly}),
            kSuccess);
  ASSERT_EQ(
      process.call("NtQueryVirtualMemory", {kThisProcess, process.get(0x20) + 5, kMappedFile, kAt + 0x2000, 0x200, 0}),
      kSuccess);
  std::vector<u16> units(process.get<u16>(0x2000) / 2);
  process.state.space.read(kAt + 0x2010, units.data(), units.size() * 2);
  EXPECT_EQ(to_utf8(units), "\\Device\\HarddiskVolume1\\work\\Hello.txt");
}

}  // namespace
}  // namespace wperf::sim::nt
