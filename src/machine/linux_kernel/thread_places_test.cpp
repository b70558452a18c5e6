// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/thread_places.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wperf::linux_kernel {
namespace {

class ThreadPlaces : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::vector<ThreadNow> threads() { return threads_now(7, perf_events::SystemFiles(root_)); }

  // Tests run at the same time.
  const std::string root_ =
      testing::TempDir() + "wperf_thread_places_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ThreadPlaces, AreReadFromTheKernelsStack) {
  write("/proc/7/task/7/stat", "7 (a) b) S 1 7 7 0\n");
  write("/proc/7/task/7/comm", "a) b\n");
  write("/proc/7/task/7/stack", "[<0>] futex_do_wait+0x46/0x90\n[<0>] __futex_wait+0x8a/0x100\n");
  write("/proc/7/task/7/wchan", "futex_do_wait");
  write("/proc/7/task/7/syscall", "202 0x55e94f0d00a0 0x80 0x2 0x0\n");
  const auto found = threads();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "a) b");
  EXPECT_EQ(found[0].state, 'S');
  EXPECT_EQ(found[0].functions, (std::vector<std::string>{"futex_do_wait", "__futex_wait"}));
  EXPECT_EQ(found[0].first_argument, 0x55e94f0d00a0u);
}

TEST_F(ThreadPlaces, AreEmptyIfTheyMayNotBeRead) {
  write("/proc/7/task/7/stat", "7 (a) S 1\n");
  write("/proc/7/task/7/wchan", "0");
  write("/proc/7/task/8/stat", "8 (a) R 1\n");
  write("/proc/7/task/8/syscall", "running\n");
  write("/proc/7/task/9/stat", "9 (a) D 1\n");
  write("/proc/7/task/9/wchan", "do_wait");
  const auto found = threads();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].functions.empty());
  EXPECT_EQ(found[1].state, 'R');
  EXPECT_FALSE(found[1].first_argument.has_value());
  EXPECT_EQ(found[2].functions, std::vector<std::string>{"do_wait"});
  EXPECT_TRUE(threads_now(8, perf_events::SystemFiles(root_)).empty());
}

}  // namespace
}  // namespace wperf::linux_kernel
