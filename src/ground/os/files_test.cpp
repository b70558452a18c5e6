// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

namespace wperf::os {
namespace {

class FolderLimit : public testing::Test {
 protected:
  FolderLimit() {
    // Each test has a separate folder, because tests run at the same time, each as a process.
    std::string name = testing::TempDir() + "wperf_folder_limit_XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::create_directories(folder_ / "inside");
  }
  ~FolderLimit() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, int age, std::size_t size) {
    std::ofstream(folder_ / name) << std::string(size, 'x');
    std::filesystem::last_write_time(folder_ / name, now_ - std::chrono::hours(age));
  }
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& one : std::filesystem::directory_iterator(folder_)) out.insert(one.path().filename().string());
    return out;
  }

  std::filesystem::path folder_;
  const std::filesystem::file_time_type now_ = std::filesystem::file_time_type::clock::now();
};

using Names = std::set<std::string>;

TEST_F(FolderLimit, OldestFilesAreRemovedFirst) {
  write("middle", 2, 100);
  write("old", 3, 100);
  write("new", 1, 100);
  write("inside/other", 9, 1000);
  remove_oldest_files(folder_.string(), 300);
  EXPECT_EQ(names(), (Names{"inside", "middle", "new", "old"}));
  remove_oldest_files(folder_.string(), 299);
  EXPECT_EQ(names(), (Names{"inside", "middle", "new"}));
  remove_oldest_files(folder_.string(), 100);
  EXPECT_EQ(names(), (Names{"inside", "new"}));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "inside/other"));
}

TEST_F(FolderLimit, MissingFolderIsNotAnError) {
  remove_oldest_files((folder_ / "nowhere").string(), 0);
  EXPECT_EQ(names(), Names{"inside"});
}

}  // namespace
}  // namespace wperf::os
