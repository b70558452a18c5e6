// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/home_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sim/nt/paths.h"

namespace wperf::sim::nt {
namespace {

TEST(HomeFolder, IsEmptyForEachProgramAndRemovedAfterIt) {
  std::string path;
  {
    const auto home = HomeFolder::make();
    ASSERT_NE(home, nullptr);
    path = home->path();
    EXPECT_TRUE(std::filesystem::is_directory(path + "/users/user/AppData/Local/Temp"));
    std::ofstream(path + "/users/user/cache") << "kept";
    const auto other = HomeFolder::make();
    EXPECT_NE(other->path(), path);
    EXPECT_TRUE(std::filesystem::exists(path)) << "it is in use";
    EXPECT_FALSE(std::filesystem::exists(other->path() + "/users/user/cache"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HomeFolder, OneThatNobodyUsesIsRemoved) {
  const auto first = HomeFolder::make();
  const std::string left_over = std::filesystem::path(first->path()).parent_path().string() + "/home-gone";
  std::filesystem::create_directories(left_over + "/users");
  // A concurrent test may also be removing the folder.
  for (int tries = 0; tries < 1000 && std::filesystem::exists(left_over); ++tries) {
    EXPECT_NE(HomeFolder::make(), nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(std::filesystem::exists(left_over));
}

TEST(HomeFolder, ProgramsWriteThereWithoutAFolderOfTheUser) {
  FileSystem files;
  EXPECT_FALSE(files.find("\\??\\C:\\users").exists);
  ASSERT_TRUE(files.make_home());
  const Place folder = files.find("\\??\\C:\\Users\\USER\\appdata\\local\\temp");
  EXPECT_TRUE(folder.exists && folder.facts.folder && folder.facts.writable);
  EXPECT_EQ(folder.path, "C:\\users\\user\\AppData\\Local\\Temp");
  EXPECT_TRUE(files.find("\\??\\C:\\ProgramData").exists);
  EXPECT_TRUE(files.find("\\??\\C:\\Program Files").exists);
  EXPECT_FALSE(files.find("\\??\\C:\\Program Files\\x").exists);
  EXPECT_EQ(files.find("\\??\\C:\\users\\..\\..\\etc").status, kObjectNameInvalid);
}

TEST(HomeFolder, FilesHaveALimit) {
  const auto home = HomeFolder::make();
  GuestFiles files;
  ASSERT_TRUE(files.allow(home->path(), true));
  files.limit(10);
  u32 file = 0;
  FileOpenOptions options;
  options.read = options.write = options.create = true;
  ASSERT_EQ(files.open("C:\\work\\a", options, file), FileProblem::none);
  EXPECT_EQ(files.write(file, std::string_view("12345678")), 8U);
  EXPECT_FALSE(files.write(file, std::string_view("abc")));
  ASSERT_TRUE(files.seek(file, 0, GuestFiles::From::start));
  EXPECT_EQ(files.write(file, std::string_view("abcdefghij")), 10U) << "it overwrites eight";
  EXPECT_FALSE(files.resize(file, 11));
  EXPECT_TRUE(files.resize(file, 4));
  EXPECT_TRUE(files.resize(file, 10));
  ASSERT_EQ(files.remove("C:\\work\\a"), FileProblem::none);
  ASSERT_EQ(files.open("C:\\work\\b", options, file), FileProblem::none);
  EXPECT_TRUE(files.resize(file, 10)) << "a removed file gives its room back";
}

}  // namespace
}  // namespace wperf::sim::nt
