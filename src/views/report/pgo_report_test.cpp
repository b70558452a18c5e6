// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/pgo_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wperf::report {
namespace {

pgo::ProfileFacts some_answer() {
  pgo::ProfileFacts facts;
  facts.file = "a.raw";
  facts.format = request::PgoFormat::llvm_unsymbolized;
  facts.program = "program";
  facts.events = {"cycles"};
  facts.used = 1200;
  facts.samples = 1234;
  facts.of_other_binaries = 30;
  facts.drops.kernel = 4;
  facts.judgement = {.samples = 1200,
                     .functions = 7,
                     .hot_functions = 2,
                     .hottest = "work",
                     .thinnest = "main",
                     .hottest_percent = 61.5,
                     .density = 3.25};
  facts.next = "llvm-profgen";
  return facts;
}

TEST(PgoText, TheFirstLineAnswers) {
  EXPECT_EQ(pgo_text(some_answer()),
            "a.raw: 1,200 samples of program, 7 functions; hottest: work, 61.50 %\n"
            "counted: cycles\n"
            "not used: 4 in the kernel, 30 in other binaries (of 1,234 samples)\n"
            "density: 3.25 counts per instruction in main, the lowest of 2 hot functions; that is enough\n"
            "next: llvm-profgen\n");
}

TEST(PgoText, LossesOfTheRecordingsAreTold) {
  pgo::ProfileFacts facts = some_answer();
  facts.losses = {"a.data: 3 samples were lost"};
  EXPECT_NE(pgo_text(facts).find("\na.data: 3 samples were lost\ndensity: "), std::string::npos);
}

TEST(PgoText, TooFewSamplesAskForMore) {
  pgo::ProfileFacts facts = some_answer();
  facts.judgement.density = 0.3;
  facts.judgement.longer = 1 / 0.3;
  EXPECT_NE(pgo_text(facts).find("main, the lowest of 2 hot functions; record 4 times longer or more often\n"),
            std::string::npos);
  facts.judgement = {};
  EXPECT_NE(pgo_text(facts).find("density: unknown"), std::string::npos);
}

TEST(PgoText, BranchStacksHaveTheirOwnLosses) {
  pgo::ProfileFacts facts = some_answer();
  facts.has_branches = true;
  facts.events.clear();
  facts.branch_stacks = 1;
  facts.drops.ranges_backwards = 3;
  facts.without_stack = 8;
  const std::string text = pgo_text(facts);
  EXPECT_EQ(text.find("a.raw: 1,200 branches of program, 7 functions"), 0);
  EXPECT_NE(text.find("not used: 8 samples in recordings without branch stacks, 3 ranges that end before they begin "
                      "(of 1 branch stack)\n"),
            std::string::npos);
  EXPECT_EQ(text.find("counted:"), std::string::npos);
}

TEST(PgoText, BranchesElsewhereArePartsOfAllBranches) {
  pgo::ProfileFacts facts = some_answer();
  facts.has_branches = true;
  facts.events.clear();
  facts.all_branches = 1241;
  facts.of_other_builds = 5;
  facts.drops.branches_elsewhere = 6;
  EXPECT_NE(pgo_text(facts).find(
                "not used: 30 branches in other binaries, 5 branches in other builds of the file, 6 branches to "
                "or from the kernel or another binary (of 1,241 branches)\n"),
            std::string::npos);
  const auto document = nlohmann::json::parse(pgo_json(facts));
  EXPECT_EQ(document["pgo"]["not_used"],
            nlohmann::json({{"other_binaries", 30}, {"other_builds", 5}, {"branches_elsewhere", 6}}));
  EXPECT_EQ(document["pgo"]["all_branches"], 1241);
}

TEST(PgoText, CodeWithoutANameIsNotCodeWithoutALine) {
  pgo::ProfileFacts facts = some_answer();
  facts.instructions = 200;
  facts.without_line = 2;
  facts.without_name = 1;
  const std::string text = pgo_text(facts);
  EXPECT_NE(text.find("without a line: 1.00 % of the counts, in code without debug information\n"), std::string::npos);
  EXPECT_NE(text.find("without a name: 0.50 % of the counts, in functions without a linker name"), std::string::npos);
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
