// SPDX-License-Identifier: BSD-3-Clause
// A process with a folder of the host, for tests of calls on files.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {

inline constexpr u64 kAt = TestProcess::kArguments;

// A folder on the host with a file in it.
struct NtFiles : testing::Test {
  void SetUp() override {
    char name[] = "/tmp/wperf-nt-XXXXXX";
    folder = ::mkdtemp(name);
    std::ofstream(folder / "Hello.txt") << "hello, world";
    ASSERT_TRUE(process.state.files.set_work_folder(folder.string(), true));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  u64 open(std::string_view name, u32 access = 0x80000000, u32 disposition = 1, u32 options = 0x20) {
    return open_sharing(name, access, 7, disposition, options);
  }
  // `shared` has the rights of other handles (1 read, 2 write, 4 delete).
  u64 open_sharing(std::string_view name, u32 access, u32 shared, u32 disposition = 1, u32 options = 0x20) {
    return process.call("NtCreateFile",
                        {kAt, access, process.named(0x1000, name), kAt + 0x10, 0, 0, shared, disposition, options});
  }
  std::string read(u64 file, u32 size) {
    EXPECT_EQ(process.call("NtReadFile", {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, size, 0, 0}), kSuccess);
    std::string text(process.get(0x18), '\0');
    process.state.space.read(kAt + 0x4000, text.data(), text.size());
    return text;
  }

  std::filesystem::path folder;
  TestProcess process;
};

}  // namespace wperf::sim::nt
