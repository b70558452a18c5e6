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

}  // namespace
}  // namespace wperf::sim::nt
