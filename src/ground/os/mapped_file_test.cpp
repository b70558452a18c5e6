// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/mapped_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "ground/os/files.h"
#ifndef _WIN32
#include <sys/wait.h>
#endif

namespace wperf::os {
namespace {

struct TemporaryFile {
  explicit TemporaryFile(std::string_view content)
      : path((std::filesystem::temp_directory_path() / ("wperf_mapped_" + std::to_string(getpid()))).string()) {
    EXPECT_TRUE(save_with_folders(path, std::as_bytes(std::span(content))).has_value());
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

TEST(MappedFile, ShowsTheBytesAndMoves) {
  const TemporaryFile file("PE");
  auto opened = MappedFile::open(file.path);
  ASSERT_TRUE(opened.has_value());
  MappedFile mapped = std::move(opened).value();
  ASSERT_EQ(mapped.bytes().size(), 2u);
  const MappedFile moved = std::move(mapped);
  EXPECT_EQ(static_cast<char>(moved.bytes()[0]), 'P');
}

#ifndef _WIN32
// Windows does not allow this.
TEST(MappedFile, AFileThatShrinksHasZeros) {
  constexpr size_t kSize = 5 << 20, kLeft = 1 << 20;
  const TemporaryFile file(std::string(kSize, 'x'));
  auto opened = MappedFile::open(file.path);
  ASSERT_TRUE(opened.has_value());
  auto other = MappedFile::open(file.path);
  ASSERT_TRUE(other.has_value());
  std::filesystem::resize_file(file.path, kLeft);
  const std::span<const std::byte> bytes = opened.value().bytes();
  EXPECT_EQ(static_cast<char>(bytes[kLeft - 1]), 'x');
  EXPECT_FALSE(opened.value().has_shrunk());
  EXPECT_EQ(static_cast<char>(bytes[kLeft]), '\0');
  EXPECT_TRUE(opened.value().has_shrunk());
  EXPECT_EQ(static_cast<char>(bytes[kSize - 1]), '\0');
  EXPECT_FALSE(other.value().has_shrunk());
  // A later mapping, perhaps at the same address, must not count as shrunk.
  {
    const MappedFile closed = std::move(opened).value();
  }
  const auto again = MappedFile::open(file.path);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again.value().bytes().size(), kLeft);
  EXPECT_FALSE(again.value().has_shrunk());
}

TEST(MappedFile, ShrunkFilesAreReportedOnce) {
  constexpr size_t kSize = 1 << 20;
  const TemporaryFile file(std::string(kSize, 'x'));
  auto kept = MappedFile::open_as(file.path, "kept"), gone = MappedFile::open_as(file.path, "gone");
  const auto unread = MappedFile::open_as(file.path, "unread"), nameless = MappedFile::open(file.path);
  ASSERT_TRUE(kept.has_value() && gone.has_value() && unread.has_value() && nameless.has_value());
  EXPECT_TRUE(MappedFile::take_shrunk().empty());
  std::filesystem::resize_file(file.path, 1);
  const auto last_of = [](const diag::Result<MappedFile>& one) {
    return static_cast<char>(one.value().bytes()[kSize - 1]);
  };
  EXPECT_EQ(last_of(kept), '\0');
  EXPECT_EQ(last_of(gone), '\0');
  EXPECT_EQ(last_of(nameless), '\0');
  {
    const MappedFile closed = std::move(gone).value();
  }
  EXPECT_EQ(MappedFile::take_shrunk(), (std::vector<std::string>{"gone", "kept"}));
  EXPECT_TRUE(MappedFile::take_shrunk().empty());
  EXPECT_TRUE(kept.value().has_shrunk());
}

TEST(MappedFile, OtherFaultsEndTheProcess) {
  const TemporaryFile file("x");
  const auto opened = MappedFile::open(file.path);
  ASSERT_TRUE(opened.has_value());
  // A sanitizer's own handler reports the fault and ends the process with a status.
  const auto has_failed = [](int status) {
    return testing::KilledBySignal(SIGBUS)(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 1);
  };
  EXPECT_EXIT(raise(SIGBUS), has_failed, "");
}
#endif

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TemporaryFile file("");
  const auto opened = MappedFile::open(file.path);
  ASSERT_TRUE(opened.has_value());
  EXPECT_TRUE(opened.value().bytes().empty());
}

TEST(MappedFile, WhatIsNoFileIsAnError) {
  EXPECT_FALSE(MappedFile::open("/no/such/file").has_value());
  EXPECT_FALSE(MappedFile::open("/").has_value());
}

}  // namespace
}  // namespace wperf::os
