// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/given_words.h"

#include <gtest/gtest.h>

#include "app/cli/command_line.h"
#include "ground/diag/names_all_test.h"

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
  const Words overridden = warnings_of({"stat", "-c", "1", "--cpu", "2", "-e", "a"});
  ASSERT_EQ(overridden.size(), 1u);
  EXPECT_TRUE(diag::names_all(overridden[0], {"--cpu 2", "-c 1"}));
  EXPECT_EQ(warnings_of({"stat", "-e", "a", "-e", "b", "-m", "imix", "-m", "dcache", "-k", "-k"}), Words());
  EXPECT_EQ(warnings_of({"stat", "--timeout", "1", "sleep", "1"}), Words());
  EXPECT_EQ(warnings_of({"stat", "--timeout", "1", "sleep", "2"}).size(), 1u);
}

TEST(GivenWords, OneCommandRuns) {
  const Words twice = warnings_of({"stat", "stat", "-e", "a"});
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_TRUE(diag::names_all(twice[0], {"stat", "twice"}));
  const Words two = warnings_of({"list", "stat"});
  ASSERT_EQ(two.size(), 1u);
  EXPECT_TRUE(diag::names_all(two[0], {"list", "stat", "only list runs"}));
  const Words of_sampling = warnings_of({"stat", "record", "-e", "a"});
  ASSERT_EQ(of_sampling.size(), 2u);
  EXPECT_TRUE(diag::names_all(of_sampling[0], {"stat", "record", "only stat runs"}));
  EXPECT_TRUE(diag::names_all(of_sampling[1], {"-e", "sample"}));
  EXPECT_EQ(warnings_of({"man", "stat"}), Words());
  EXPECT_EQ(warnings_of({"stat", "record", "--help"}), Words());
}

TEST(GivenWords, OnLinuxASecondCommandIsRefused) {
  EXPECT_TRUE(diag::names_all(refused({"stat", "stat"}, "linux"), {"stat", "twice"}));
  EXPECT_TRUE(diag::names_all(refused({"stat", "record", "x"}, "linux"), {"stat and record", "one"}));
  EXPECT_TRUE(parse_command_line(Words{"help", "stat"}, nullptr, "linux").has_value());
  EXPECT_TRUE(parse_command_line(Words{"stat", "--", "stat"}, nullptr, "linux").has_value());
}

TEST(GivenWords, LatencyWorksWithSample) {
  EXPECT_EQ(parse_command_line(Words{"sample", "--latency"}, nullptr, "linux").value().warnings, Words());
}

TEST(GivenWords, TheGuideIsText) {
  EXPECT_EQ(warnings_of({"guide", "--json"}), Words({"warning: --json has no effect on guide"}));
  EXPECT_EQ(warnings_of({"guide", "-q"}), Words({"warning: -q has no effect on guide"}));
  EXPECT_EQ(warnings_of({"guide"}), Words());
}

TEST(GivenWords, EmptyValues) {
  EXPECT_EQ(refused({"stat", "--device", ""}, ""), "--device has an empty value");
  EXPECT_EQ(refused({"record", "-s", ""}, ""), "-s has an empty value");
  EXPECT_EQ(refused({"report", "--html", ""}, ""), "--html has an empty value");
  EXPECT_EQ(refused({"report", "--html"}, ""), "--html has no value");
  EXPECT_TRUE(diag::names_all(refused({"stat", "--"}, ""), {"no program", "--"}));
  EXPECT_EQ(warnings_of({"stat", "-e", "a", "--cwd", ""}), Words());
}

}  // namespace
}  // namespace wperf::cli
