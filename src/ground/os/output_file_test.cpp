// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "ground/os/files.h"

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

std::string folder_for(const std::string& name) {
  const std::filesystem::path folder = testing::TempDir() + "wperf outputs of " + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

size_t files_in(const std::string& folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

void write_whole(const std::string& path, std::string_view text, Readers readers = Readers::usual) {
  auto output = OutputFile::create(path, readers);
  ASSERT_TRUE(output.has_value()) << output.error().text;
  output.value().write(text);
  ASSERT_TRUE(output.value().close().has_value());
}

TEST(OutputFile, HasItsNameWhenItIsWhole) {
  const std::string folder = folder_for("whole"), path = folder + "/x";
  write_whole(path, "before");
  {
    auto given_up = OutputFile::create(path);
    ASSERT_TRUE(given_up.has_value());
    given_up.value().write("half");
  }
  EXPECT_EQ(files_in(folder), 1u) << "what was given up stayed";
  auto output = OutputFile::create(path);
  ASSERT_TRUE(output.has_value());
  output.value().write("after");
  EXPECT_EQ(load_text_file(path, 100).value(), "before");
  ASSERT_TRUE(output.value().close().has_value());
  EXPECT_EQ(load_text_file(path, 100).value(), "after");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, FollowsNoLink) {
  if (std::filesystem::path::preferred_separator != '/') GTEST_SKIP() << "links take rights here";
  const std::string folder = folder_for("links"), link = folder + "/x", precious = folder + "/precious";
  for (const bool is_hard : {false, true}) {
    write_whole(precious, "precious");
    std::filesystem::remove(link);
    is_hard ? std::filesystem::create_hard_link(precious, link) : std::filesystem::create_symlink(precious, link);
    write_whole(link, "new");
    EXPECT_FALSE(std::filesystem::is_symlink(link));
    EXPECT_EQ(load_text_file(link, 100).value(), "new");
    EXPECT_EQ(load_text_file(precious, 100).value(), "precious");
  }
}

TEST(CheckOutput, UnwritableOutputIsNamed) {
  const std::string folder = folder_for("checks");
  write_whole(folder + "/there", "stays");
  EXPECT_TRUE(check_output(folder + "/there").has_value());
  EXPECT_TRUE(check_output(folder + "/new").has_value());
  EXPECT_EQ(files_in(folder), 1u) << "the try stayed";
  EXPECT_EQ(load_text_file(folder + "/there", 100).value(), "stays");
  EXPECT_FALSE(check_output(folder).has_value());
  const auto nowhere = check_output(folder + "/no/x");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_NE(nowhere.error().text.find("cannot write " + folder + "/no/x"), std::string::npos) << nowhere.error().text;
}

}  // namespace
}  // namespace wperf::os
