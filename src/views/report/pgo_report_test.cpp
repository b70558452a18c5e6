// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/pgo_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wperf::report {
namespace {

PgoAnswer some_answer() {
  PgoAnswer answer;
  answer.file = "a.raw";
  answer.format = "llvm-unsymbolized";
  answer.program = "program";
  answer.events = {"cycles"};
  answer.used = 1200;
  answer.samples = 1234;
  answer.of_other_binaries = 30;
  answer.drops.kernel = 4;
  answer.judgement = {.samples = 1200,
                      .functions = 7,
                      .hot_functions = 2,
                      .hottest = "work",
                      .thinnest = "main",
                      .hottest_percent = 61.5,
                      .density = 3.25};
  answer.next = "llvm-profgen";
  return answer;
}

TEST(PgoText, TheFirstLineAnswers) {
  EXPECT_EQ(pgo_text(some_answer()),
            "a.raw: 1,200 samples of program, 7 functions; hottest: work, 61.50 %\n"
            "counted: cycles\n"
            "not used: 4 in the kernel, 30 in other binaries (of 1,234 samples)\n"
            "density: 3.25 counts per instruction in main, the thinnest of 2 hot functions; that is enough\n"
            "next: llvm-profgen\n");
}

TEST(PgoText, LossesOfTheRecordingsAreTold) {
  PgoAnswer answer = some_answer();
  answer.losses = {"a.data: 3 samples were lost"};
  EXPECT_NE(pgo_text(answer).find("\na.data: 3 samples were lost\ndensity: "), std::string::npos);
}

TEST(PgoText, TooFewSamplesAskForMore) {
  PgoAnswer answer = some_answer();
  answer.judgement.density = 0.3;
  answer.judgement.longer = 1 / 0.3;
  EXPECT_NE(pgo_text(answer).find("main, the thinnest of 2 hot functions; record 4 times longer or more often\n"),
            std::string::npos);
  answer.judgement = {};
  EXPECT_NE(pgo_text(answer).find("density: unknown"), std::string::npos);
}

TEST(PgoText, BranchStacksHaveTheirOwnLosses) {
  PgoAnswer answer = some_answer();
  answer.has_branches = true;
  answer.events.clear();
  answer.branch_stacks = 1;
  answer.drops.ranges_backwards = 3;
  answer.without_stack = 8;
  const std::string text = pgo_text(answer);
  EXPECT_EQ(text.find("a.raw: 1,200 branches of program, 7 functions"), 0);
  EXPECT_NE(text.find("not used: 8 samples in recordings without branch stacks, 3 ranges that end before they begin "
                      "(of 1 branch stack)\n"),
            std::string::npos);
  EXPECT_EQ(text.find("counted:"), std::string::npos);
}

TEST(PgoJson, HasTheSameFacts) {
  const auto document = nlohmann::json::parse(pgo_json(some_answer()));
  const auto& pgo = document["pgo"];
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(pgo["program"], "program");
  EXPECT_EQ(pgo["events"], nlohmann::json({"cycles"}));
  EXPECT_EQ(pgo["used"], 1200);
  EXPECT_EQ(pgo["not_used"], nlohmann::json({{"kernel", 4}, {"other_binaries", 30}}));
  EXPECT_EQ(pgo["thinnest"], "main");
  EXPECT_EQ(pgo["record_times_longer"], 0);
}

}  // namespace
}  // namespace wperf::report
