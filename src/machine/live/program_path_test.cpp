// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/program_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace wperf::live {
namespace {

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

wperf_driver::SimulatedProgram made_absolute(const std::string& image, const std::string& command_line) {
  wperf_driver::SimulatedProgram program{image, command_line, 0, 0, {}};
  make_absolute(program);
  EXPECT_EQ(program.image, absolute(image));
  return program;
}

TEST(ProgramPath, TheCommandLineBeginsWithTheSamePath) {
  EXPECT_EQ(made_absolute("./cmd.exe", "./cmd.exe /c ./cmd.exe").command_line, absolute("./cmd.exe") + " /c ./cmd.exe");
  EXPECT_EQ(made_absolute("../m/a b.exe", "\"../m/a b.exe\" x").command_line, "\"" + absolute("../m/a b.exe") + "\" x");
}

TEST(ProgramPath, OtherFirstWordsStay) {
  EXPECT_EQ(made_absolute("cmd.exe", "cmd.exe /c").command_line, "cmd.exe /c");
  EXPECT_EQ(made_absolute("/opt/cmd.exe", "/opt/cmd.exe /c").command_line, "/opt/cmd.exe /c");
  EXPECT_EQ(made_absolute("sub/cmd.exe", "other /c sub/cmd.exe").command_line, "other /c sub/cmd.exe");
}

}  // namespace
}  // namespace wperf::live
