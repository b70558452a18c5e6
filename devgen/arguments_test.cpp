// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/arguments.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::devgen {
namespace {

Command parsed(std::vector<std::string> words) {
  return parse_command_line(words).command;
}

TEST(DevgenCommandLineTest, OneWord) {
  EXPECT_EQ(parsed({"install"}), Command::install);
  EXPECT_EQ(parsed({"uninstall"}), Command::uninstall);
  EXPECT_EQ(parsed({"status"}), Command::status);
  EXPECT_EQ(parsed({"--version"}), Command::version);
  EXPECT_EQ(parsed({"-h"}), Command::help);
  EXPECT_EQ(parsed({"--help"}), Command::help);
  EXPECT_EQ(parsed({"Install"}), Command::unknown);
  EXPECT_EQ(parse_command_line(std::vector<std::string>{"bogus"}).word, "bogus");
}

TEST(DevgenCommandLineTest, AnythingElseIsUsage) {
  EXPECT_EQ(parsed({}), Command::usage);
  EXPECT_EQ(parsed({"install", "now"}), Command::usage);
  EXPECT_EQ(parsed({"--service", "install"}), Command::usage);
  EXPECT_EQ(parsed({"uninstall", "--service"}), Command::usage);
  EXPECT_EQ(parsed({"install", "--service", "x"}), Command::usage);
  EXPECT_EQ(parsed({"install", "--service"}), Command::install_service);
}

TEST(DevgenCommandLineTest, HeaderIsTheOneThatScriptsKnow) {
  EXPECT_EQ(header_text("3.8.0", "1a2b3c4", "Release"),
            "WindowsPerf-DevGen ver. 3.8.0 (1a2b3c4/Release) WindowsPerf's Kernel Driver Installer.\n"
            "Report bugs to: the issue tracker of the place this wperf came from\n");
}

}  // namespace
}  // namespace wperf::devgen
