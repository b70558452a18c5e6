// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/program_hint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wperf::commands {
namespace {

std::string hint_for(const std::string& content, diag::ExitCode code = diag::ExitCode::damaged_input) {
  const std::string file = testing::TempDir() + "program hint";
  std::ofstream(file, std::ios::binary) << content;
  const diag::Error error = with_program_hint({.text = "bad", .hint = "other", .code = code}, file, "wperf waits");
  std::filesystem::remove(file);
  return error.hint == "'" + file + "' is a program; `wperf waits -- \"" + file + "\"` runs it" ? "runs it"
                                                                                                : error.hint;
}

TEST(ProgramHint, IsForProgramsOnly) {
  EXPECT_EQ(hint_for("\x7f"
                     "ELF\x02"),
            "runs it");
  EXPECT_EQ(hint_for("MZ\x90"), "runs it");
  EXPECT_EQ(hint_for("#!/bin/sh\n"), "runs it");
  EXPECT_EQ(hint_for("{}"), "other");
  EXPECT_EQ(hint_for(""), "other");
  EXPECT_EQ(hint_for("MZ", diag::ExitCode::failed), "other");
}

}  // namespace
}  // namespace wperf::commands
