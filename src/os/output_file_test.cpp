// SPDX-License-Identifier: BSD-3-Clause
#include "os/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "os/files.h"

namespace wperf::os {
namespace {

TEST(OutputFile, TakesBytesPieceByPiece) {
  const std::string path = testing::TempDir() + "wperf output file";
  auto output = OutputFile::create(path);
  ASSERT_TRUE(output.has_value());
  output.value().write("one\n");
  output.value().write(std::string_view("\0two", 4));
  ASSERT_TRUE(output.value().close().has_value());
  EXPECT_EQ(load_text_file(path, 100).value(), std::string("one\n\0two", 8));
}

TEST(OutputFile, SaysWhatItCannotDo) {
  const auto nowhere = OutputFile::create(testing::TempDir() + "wperf no such folder/x");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_NE(nowhere.error().text.find("cannot write"), std::string::npos);
  auto full = OutputFile::create("/dev/full");
  if (!full.has_value()) GTEST_SKIP() << "no /dev/full here";
  full.value().write(std::string(1 << 16, 'x'));
  EXPECT_FALSE(full.value().close().has_value());
}

TEST(OutputFile, AtOnceHasItsNameWhenItIsWhole) {
  const std::string path = testing::TempDir() + "wperf at once";
  {
    auto first = OutputFile::create(path);
    ASSERT_TRUE(first.has_value());
    first.value().write("before");
    ASSERT_TRUE(first.value().close().has_value());
  }
  auto output = OutputFile::create_at_once(path);
  ASSERT_TRUE(output.has_value());
  output.value().write("after");
  EXPECT_EQ(load_text_file(path, 100).value(), "before");
  ASSERT_TRUE(output.value().close().has_value());
  EXPECT_EQ(load_text_file(path, 100).value(), "after");
}

TEST(OutputFile, AtOnceWritesThroughALink) {
  const std::filesystem::path link = testing::TempDir() + "wperf link", target = testing::TempDir() + "wperf target";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(target, link);
  EXPECT_FALSE(may_be_replaced(link.string()));
  EXPECT_TRUE(may_be_replaced(testing::TempDir() + "wperf no such file"));
  auto output = OutputFile::create_at_once(link.string());
  ASSERT_TRUE(output.has_value());
  output.value().write("through");
  ASSERT_TRUE(output.value().close().has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(load_text_file(target.string(), 100).value(), "through");
}

}  // namespace
}  // namespace wperf::os
