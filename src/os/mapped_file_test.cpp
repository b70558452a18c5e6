// SPDX-License-Identifier: BSD-3-Clause
#include "os/mapped_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "os/files.h"

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
