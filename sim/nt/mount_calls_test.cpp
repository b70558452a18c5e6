// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

struct NtMounts : NtFiles {
  static constexpr u64 kIn = 0x2000, kOut = 0x3000;

  u64 query(std::string_view link, u64 room = 0x400) {
    const std::vector<u16> units = to_utf16(link);
    process.put(kIn, std::array<u32, 6>{24, static_cast<u32>(units.size() * 2), 0, 0, 0, 0});
    process.state.space.write(kAt + kIn + 24, units.data(), units.size() * 2);
    return process.call("NtDeviceIoControlFile",
                        {manager, 0, 0, 0, kAt + 0x10, 0x6d0008, kAt + kIn, 24 + units.size() * 2, kAt + kOut, room});
  }
  std::string text(u64 part) {
    std::vector<u16> units(process.get<u16>(kOut + part + 4) / 2);
    process.state.space.read(kAt + kOut + process.get<u32>(kOut + part), units.data(), units.size() * 2);
    return to_utf8(units);
  }
  u64 manager = 0;
};

TEST_F(NtMounts, TheDriveHasTheNameOfItsVolume) {
  ASSERT_EQ(open("\\??\\MountPointManager", 0), kSuccess);
  manager = process.get(0);
  ASSERT_EQ(query("\\DosDevices\\c:"), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 2U);
  EXPECT_EQ(process.get(0x18), process.get<u32>(kOut)) << "all bytes";
  EXPECT_EQ(text(8), "\\DosDevices\\C:");
  EXPECT_EQ(text(8 + 16), kVolumeDevice);
  EXPECT_EQ(text(8 + 24), kVolumeName);
  EXPECT_EQ(query("\\DosDevices\\D:"), kObjectNameNotFound);
  ASSERT_EQ(query(kVolumeName), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 1U);
  ASSERT_EQ(query("", 8), kBufferOverflow);
  EXPECT_GT(process.get<u32>(kOut), 8U);
  EXPECT_EQ(query("", 4), kBufferTooSmall);
}

TEST_F(NtMounts, FilesAreFoundByTheNameOfTheirVolume) {
  ASSERT_EQ(open(std::string(kVolumeName) + "\\work\\hello.txt"), kSuccess);
  EXPECT_EQ(read(process.get(0), 5), "hello");
  EXPECT_EQ(open("\\??\\Volume{00000000-0000-0000-0000-100000000000}\\work\\hello.txt"), kObjectPathNotFound);
}

}  // namespace
}  // namespace wperf::sim::nt
