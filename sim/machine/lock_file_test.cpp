// SPDX-License-Identifier: BSD-3-Clause
// The lock file, shared by clients in one process and by several processes.
#include "sim/machine/lock_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/machine/temporary_folder.h"

namespace wperf::sim {
namespace {

using driver::LockState;

class LockFileTest : public testing::Test {
 protected:
  std::unique_ptr<LockFile> open(const std::string& instance = "test") {
    LockFileError error;
    std::unique_ptr<LockFile> file = LockFile::open_in(folder_.path(), instance, error);
    EXPECT_EQ(error.text, "");
    return file;
  }
  std::string path() const { return folder_.path() + "/wperf-sim-test.lock"; }

  TemporaryFolder folder_;
};

LockState read(LockFile& file) {
  LockState state;
  EXPECT_TRUE(file.begin(state));
  file.end(state);
  return state;
}

void write(LockFile& file, driver::ClientId holder) {
  LockState state;
  EXPECT_TRUE(file.begin(state));
  state.holder = holder;
  file.end(state);
}

TEST_F(LockFileTest, StartsFreeAndIsSharedByInstance) {
  auto one = open();
  auto two = open();
  auto other = open("other");
  EXPECT_NE(one->client(), 0u);
  EXPECT_NE(one->client(), two->client());
  EXPECT_EQ(read(*one).holder, 0u);
  write(*one, one->client());
  EXPECT_EQ(read(*two).holder, one->client());
  EXPECT_EQ(read(*other).holder, 0u);
}

TEST_F(LockFileTest, ClientsAreAliveUntilClosed) {
  auto one = open();
  auto two = open();
  const driver::ClientId client = two->client();
  EXPECT_TRUE(one->is_alive(one->client()));
  EXPECT_TRUE(one->is_alive(client));
  two.reset();
  EXPECT_FALSE(one->is_alive(client));
  EXPECT_FALSE(one->is_alive(0x123456789));
}

TEST_F(LockFileTest, ContentsOutliveTheClientThatWroteThem) {
  auto one = open();
  write(*open(), 77);
  EXPECT_EQ(read(*one).holder, 77u);
}

TEST_F(LockFileTest, DamagedFilesReadAsFree) {
  auto file = open();
  write(*file, file->client());
  const auto size = std::filesystem::file_size(path());
  const auto damage = [&](auto&& how) {
    write(*file, file->client());
    how();
    EXPECT_EQ(read(*file).holder, 0u);
    write(*file, 9);
    EXPECT_EQ(read(*file).holder, 9u);
  };
  damage([&] { std::filesystem::resize_file(path(), 0); });
  damage([&] { std::filesystem::resize_file(path(), size - 1); });
  for (std::streamoff at = 0; at < static_cast<std::streamoff>(size); at += 5) {
    damage([&] {
      std::fstream stream(path(), std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(at);
      const char byte = static_cast<char>(stream.get());
      stream.seekp(at);
      stream.put(static_cast<char>(byte ^ 0x40));
    });
  }
}

TEST_F(LockFileTest, RefusesLinksAndFolders) {
  LockFileError error;
  ASSERT_EQ(symlink("/dev/null", path().c_str()), 0);
  EXPECT_EQ(LockFile::open_in(folder_.path(), "test", error), nullptr);
  EXPECT_NE(error.text.find("cannot open the simulated driver's lock"), std::string::npos);
  EXPECT_NE(error.hint, "");
  error = {};
  std::filesystem::create_directory(folder_.path() + "/wperf-sim-folder.lock");
  EXPECT_EQ(LockFile::open_in(folder_.path(), "folder", error), nullptr);
  EXPECT_NE(error.text, "");
  error = {};
  EXPECT_EQ(LockFile::open_in(folder_.path() + "/missing", "test", error), nullptr);
  EXPECT_NE(error.text.find("No such file"), std::string::npos);
}

TEST_F(LockFileTest, LockFileIsInPrivateRuntimeFolder) {
  setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  LockFileError error;
  EXPECT_NE(LockFile::open("xdg", error), nullptr);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/wperf-sim-xdg.lock"));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_NE(LockFile::open("shared", error), nullptr);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/wperf-sim-shared.lock"));
  EXPECT_TRUE(std::filesystem::remove("/tmp/wperf-" + std::to_string(geteuid()) + "/wperf-sim-shared.lock"));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0700), 0);
  unsetenv("XDG_RUNTIME_DIR");
}

// One process reads the values that another one writes, and notices when the other is killed.
TEST_F(LockFileTest, DetectsKilledProcesses) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    LockFileError error;
    auto mine = LockFile::open_in(folder_.path(), "test", error);
    LockState state;
    if (!mine || !mine->begin(state)) _exit(1);
    state.holder = mine->client();
    mine->end(state);
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  auto file = open();
  const driver::ClientId holder = read(*file).holder;
  EXPECT_NE(holder, 0u);
  EXPECT_TRUE(file->is_alive(holder));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(file->is_alive(holder));
  EXPECT_EQ(read(*file).holder, holder);
  close(ready[0]);
  close(ready[1]);
}

TEST_F(LockFileTest, TurnsExcludeEachOther) {
  constexpr int kRounds = 3000;
  std::vector<pid_t> children;
  int gate[2];  // opens for all processes at once when its writing end closes
  ASSERT_EQ(pipe(gate), 0);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      LockFileError error;
      auto mine = LockFile::open_in(folder_.path(), "test", error);
      close(gate[1]);
      char byte = 0;
      if (::read(gate[0], &byte, 1) != 0) _exit(1);
      for (int round = 0; round < kRounds; ++round) {
        LockState state;
        if (!mine || !mine->begin(state)) _exit(1);
        ++state.holder;
        mine->end(state);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  close(gate[1]);
  close(gate[0]);
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read(*open()).holder, 3u * kRounds);
}

}  // namespace
}  // namespace wperf::sim
