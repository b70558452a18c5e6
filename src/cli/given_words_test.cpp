// SPDX-License-Identifier: BSD-3-Clause
#include "cli/given_words.h"

#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace wperf::cli {
namespace {

using Words = std::vector<std::string>;

Words warnings_of(const Words& line) {
  const auto request = parse_command_line(line, nullptr);
  EXPECT_TRUE(request.has_value());
  return request.has_value() ? request.value().warnings : Words();
}

std::string refused(const Words& line, const std::string& device) {
  const auto request = parse_command_line(line, nullptr, device);
  EXPECT_FALSE(request.has_value());
  if (request.has_value()) return {};
  EXPECT_EQ(request.error().code, diag::ExitCode::usage);
  return request.error().text;
}

TEST(GivenWords, TheLastValueOfAnOptionCounts) {
  EXPECT_EQ(warnings_of({"stat", "-c", "1", "--cpu", "2", "-e", "a"}),
            Words{"warning: --cpu 2 comes after -c 1 and counts instead of it"});
  EXPECT_EQ(warnings_of({"stat", "-e", "a", "-e", "b", "-m", "imix", "-m", "dcache", "-k", "-k"}), Words());
  EXPECT_EQ(warnings_of({"stat", "--timeout", "1", "sleep", "1"}), Words());
  EXPECT_EQ(warnings_of({"stat", "--timeout", "1", "sleep", "2"}).size(), 1u);
}

TEST(GivenWords, OneCommandRuns) {
  EXPECT_EQ(warnings_of({"stat", "stat", "-e", "a"}), Words{"warning: stat stands there twice"});
  EXPECT_EQ(warnings_of({"list", "stat"}), Words{"warning: of list and stat only list runs"});
  EXPECT_EQ(warnings_of({"stat", "record", "-e", "a"}),
            (Words{"warning: of stat and record only stat runs",
                   "warning: -e behind record, sample or top names what is sampled, not counted"}));
  EXPECT_EQ(warnings_of({"man", "stat"}), Words());
  EXPECT_EQ(warnings_of({"stat", "record", "--help"}), Words());
}

TEST(GivenWords, OnLinuxASecondCommandIsRefused) {
  EXPECT_EQ(refused({"stat", "stat"}, "linux"), "stat stands there twice");
  EXPECT_EQ(refused({"stat", "record", "x"}, "linux"), "stat and record are two commands, and one can run");
  EXPECT_TRUE(parse_command_line(Words{"help", "stat"}, nullptr, "linux").has_value());
  EXPECT_TRUE(parse_command_line(Words{"stat", "--", "stat"}, nullptr, "linux").has_value());
}

TEST(GivenWords, EmptyValues) {
  EXPECT_EQ(refused({"stat", "--device", ""}, ""), "--device has an empty value");
  EXPECT_EQ(refused({"record", "-s", ""}, ""), "-s has an empty value");
  EXPECT_EQ(refused({"report", "--html", ""}, ""), "--html has an empty value");
  EXPECT_EQ(refused({"report", "--html"}, ""), "--html has no value");
  EXPECT_EQ(refused({"stat", "--"}, ""), "no program stands behind --");
  EXPECT_EQ(warnings_of({"stat", "-e", "a", "--cwd", ""}), Words());
}

}  // namespace
}  // namespace wperf::cli
