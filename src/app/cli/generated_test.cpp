// SPDX-License-Identifier: BSD-3-Clause
// The checked-in documents and completions agree with the table of options. With WPERF_UPDATE_GENERATED=1 in the
// environment this test writes them instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/cli/help.h"

namespace wperf::cli {
namespace {

bool updating() {
  return std::getenv("WPERF_UPDATE_GENERATED") != nullptr;
}

std::string path_of(const std::string& name) {
  return std::string(WPERF_SOURCE_DIR) + "/" + name;
}

std::string content_of(const std::string& name) {
  std::ifstream file(path_of(name), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_content(const std::string& name, const std::string& expected) {
  if (updating()) std::ofstream(path_of(name), std::ios::binary) << expected;
  EXPECT_EQ(content_of(name), expected) << name << " is stale: run cli_test with WPERF_UPDATE_GENERATED=1";
}

TEST(Generated, ManPage) {
  expect_content("docs/man/wperf.1", render_man_page());
}
TEST(Generated, BashCompletion) {
  expect_content("completions/wperf.bash", render_bash_completion());
}
TEST(Generated, ZshCompletion) {
  expect_content("completions/_wperf", render_zsh_completion());
}
TEST(Generated, FishCompletion) {
  expect_content("completions/wperf.fish", render_fish_completion());
}
TEST(Generated, PowerShellCompletion) {
  expect_content("completions/wperf.ps1", render_powershell_completion());
}

TEST(Generated, Skill) {
  expect_content("docs/SKILL.md", render_skill());
}

TEST(Generated, OptionPage) {
  expect_content("docs/user/options.md", render_option_page());
}

TEST(Generated, PagesOfTheCommandsLinkToTheirOptions) {
  for (const CommandRow& command : command_rows()) {
    ASSERT_FALSE(command.page.empty()) << command.name;
    const std::string name = "docs/user/" + std::string(command.page) + ".md";
    const std::string link = "(options.md#" + std::string(option_heading(command)) + ")";
    EXPECT_NE(content_of(name).find(link), std::string::npos) << name << " has no link " << link;
  }
}

}  // namespace
}  // namespace wperf::cli
