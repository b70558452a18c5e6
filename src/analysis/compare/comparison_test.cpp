// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/comparison.h"

#include <gtest/gtest.h>

#include "analysis/compare/compared_code.h"
#include "analysis/compare/made_profile.h"
#include "analysis/compare/run_checks.h"
#include "ground/diag/names_all_test.h"

namespace wperf::compare {
namespace {

using testing::compared;
using testing::counted;
using testing::function_of;
using testing::judged;
using testing::MadeProfile;

TEST(Comparison, SignsAndSizesAreThoseOfWhatChanged) {
  const Comparison found =
      compared(MadeProfile("p").add("f", 1000).add("g", 3000), MadeProfile("p").add("f", 1500).add("g", 3000));
  const UnitChange& f = function_of(found, "f");
  EXPECT_TRUE(f.is_significant);
  EXPECT_DOUBLE_EQ(f.change().ratio, 1.5);
  EXPECT_DOUBLE_EQ(f.before, 1'000'000);
  EXPECT_DOUBLE_EQ(f.after, 1'500'000);
  EXPECT_FALSE(function_of(found, "g").is_significant);
  const Comparison back = compared(MadeProfile("p").add("f", 1500), MadeProfile("p").add("f", 1000));
  EXPECT_NEAR(function_of(back, "f").change().ratio, 2.0 / 3, 1e-12);
}

TEST(Comparison, FunctionsWithWhatTheyCalledAreJudgedWhereCallersAreKnown) {
  const auto with_callees = [](const MadeProfile& profile) {
    return run_costs(profile.get(), {.filter = {}, .inclusive = true});
  };
  const MadeProfile before = MadeProfile("p").add("f", 1000, "main"), after = MadeProfile("p").add("f", 2000, "main");
  const Comparison found =
      compare_runs({with_callees(before)}, {with_callees(after)}, {.per = Per::run, .counter = {}}).value();
  ASSERT_EQ(found.events.at(0).inclusive.size(), 2u);
  EXPECT_EQ(judged(found, "inclusive:main>50%"), Verdict::Kind::failed);
  EXPECT_EQ(judged(found, "inclusive:f>50%"), Verdict::Kind::failed);
  EXPECT_EQ(judged(compared(before, after), "inclusive:main>50%"), Verdict::Kind::unknown);
}

TEST(Comparison, TimesAreTotalsOfTheirOwnBeforeAllElse) {
  const auto run = [](double seconds, double cpu_seconds, double count) {
    RunCosts one;
    one.seconds = seconds;
    one.cpu_seconds = cpu_seconds;
    one.counts = {{"inst_retired", count}};
    return one;
  };
  std::vector<RunCosts> before, after;
  for (int i = 0; i < 6; ++i) {
    before.push_back(run(1 + i * 0.001, 0.5 + i * 0.001, 100 + i));
    after.push_back(run(2 + i * 0.001, 0.5 + i * 0.0011, 100 + i));
  }
  const Comparison found = compare_runs(before, after, {}).value();
  ASSERT_EQ(found.totals.size(), 3u);
  EXPECT_EQ(found.totals[0].event, "elapsed");
  EXPECT_EQ(found.totals[0].unit, CostUnit::seconds);
  EXPECT_TRUE(found.totals[0].is_significant);
  EXPECT_EQ(found.totals[1].event, "cpu-time");
  EXPECT_FALSE(found.totals[1].is_significant);
  EXPECT_EQ(judged(found, "elapsed>50%"), Verdict::Kind::failed);
  EXPECT_EQ(judged(found, "cpu-time>50%"), Verdict::Kind::passed);
  // A run without a time cannot be compared by time.
  after.back().cpu_seconds = 0;
  EXPECT_EQ(judged(compare_runs(before, after, {}).value(), "cpu-time>50%"), Verdict::Kind::unknown);
  // If costs are per second, the time is not a total.
  EXPECT_EQ(compare_runs(before, after, {.per = Per::second, .counter = {}}).value().totals.size(), 1u);
}

// Half of the samples of one run were held back. The other samples count double, so that nothing seems to have shrunk.
TEST(Comparison, SamplesThatWereNotTakenCountLikeTheOthers) {
  const MadeProfile before = MadeProfile("p").add("f", 4000).add("g", 6000);
  const MadeProfile after = MadeProfile("p").add("f", 2000).add("g", 3000).held_back(5000);
  const Comparison found = compared(before, after);
  EXPECT_NEAR(function_of(found, "f").change().ratio, 1, 1e-9);
  EXPECT_NEAR(found.totals.back().ratio, 1, 1e-9);
  EXPECT_EQ(function_of(found, "f").samples_after, 2000u);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes.front().substr(0, 41), "Up to 50 % of a run's samples are missing");
  EXPECT_TRUE(compared(before, before).notes.empty());
}

// In repetitive work, a clock samples the same places in all runs of a build, and other places in the next build.
TEST(Comparison, ClocksThatTickAtTheSamePlacesAreNoSurerThanChance) {
  const auto is_sure = [](const std::string& event) {
    std::vector<RunCosts> before, after;
    for (u64 run = 0; run < 5; ++run) {
      before.push_back(
          MadeProfile("p").add("f", 25 + run % 2).add("g", 139).add("h", 60 + run % 2).of_event(event).costs());
      after.push_back(
          MadeProfile("p").add("f", 30 + run % 2).add("g", 138).add("h", 58 + run % 2).of_event(event).costs());
    }
    auto found = compare_runs(before, after, {.per = Per::run, .counter = {}});
    EXPECT_TRUE(found.has_value());
    return function_of(found.value(), "f").is_significant;
  };
  EXPECT_TRUE(is_sure("inst_retired"));
  EXPECT_FALSE(is_sure("cpu-clock"));
}

TEST(Comparison, CopiesOfCompilersAreTheFunction) {
  const Comparison found =
      compared(MadeProfile("p").add("f", 1000), MadeProfile("p").add("f.part.0", 400).add("f.cold", 600));
  EXPECT_EQ(found.events[0].functions.size(), 1u);
  EXPECT_DOUBLE_EQ(function_of(found, "f").change().ratio, 1);
}

// The file of one module: its functions with their names and code.
struct MadeFile {
  struct Function {
    u64 begin;
    std::string name;
    std::optional<u64> code;
  };
  std::vector<Function> functions;
};
class OpenedFile final : public BuildFile {
 public:
  explicit OpenedFile(const MadeFile& file) : file_(file) {}
  std::optional<u64> code_hash(u64 begin) override {
    for (const MadeFile::Function& one : file_.functions) {
      if (one.begin == begin) return one.code;
    }
    return {};
  }
  std::optional<SourceLine> source_of(u64 begin) const override {
    return SourceLine{"made.c", static_cast<u32>(begin)};
  }
  void for_each_name(const std::function<void(u64, std::string_view)>& visit) const override {
    for (const MadeFile::Function& one : file_.functions) visit(one.begin, one.name);
  }

 private:
  const MadeFile& file_;
};

// Compares modules "old" and "new", or builds with these names.
Comparison compared_with_code(const MadeProfile& before, const MadeFile& old_file, const MadeProfile& after,
                              const MadeFile& new_file) {
  const OpenBuildFile open = [&](const stacks::StackModule& module) {
    return std::make_unique<OpenedFile>(module.name == "old" || module.build_id == "old" ? old_file : new_file);
  };
  auto done = compare_runs({before.costs()}, {after.costs()}, {.per = Per::run, .counter = {}, .open = open});
  EXPECT_TRUE(done.has_value());
  return std::move(done).value();
}

TEST(Comparison, ARenamedFunctionIsFoundByItsCode) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("checksum", 1000).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("digest", 1500).lies_at(0x1000);
  const MadeFile old_file{{{0x100, "main", 1}, {0x200, "checksum", 77}}};
  const MadeFile new_file{{{0x1000, "main", 2}, {0x1100, "digest", 77}}};
  const Comparison found = compared_with_code(before, old_file, after, new_file);
  EXPECT_EQ(found.events[0].functions.size(), 2u);
  const UnitChange& row = function_of(found, "digest");
  EXPECT_EQ(row.was, "checksum");
  EXPECT_EQ(row.note, "was checksum");
  EXPECT_DOUBLE_EQ(row.change().ratio, 1.5);
  EXPECT_TRUE(found.notes.empty());
  // The gate accepts either name.
  const auto gate = judge(found, {request::parse_fail_condition("function:checksum>10%").value()});
  EXPECT_EQ(gate.at(0).kind, Verdict::Kind::failed);
}

TEST(Comparison, AddressesMeanOtherFunctionsInAnotherBuild) {
  const auto profile = [](const std::string& build, u64 first, const std::string& second, u64 count) {
    return MadeProfile("app").add("function at 0x100", first).add(second, count).lies_at(0x100).stripped(build);
  };
  const MadeProfile before = profile("old", 1000, "code at 0x200", 500),
                    after = profile("new", 500, "code at 0x200", 1500);
  const MadeFile old_file{{{0x100, "", 77}, {0x200, "", 5}}}, new_file{{{0x100, "", 5}, {0x200, "", 77}}};
  const Comparison found = compared_with_code(before, old_file, after, new_file);
  EXPECT_EQ(found.events[0].functions.size(), 2u);
  EXPECT_EQ(function_of(found, "code at 0x200").was, "function at 0x100");
  EXPECT_DOUBLE_EQ(function_of(found, "code at 0x200").change().ratio, 1.5);
  EXPECT_DOUBLE_EQ(function_of(found, "function at 0x100").change().ratio, 1);
  // In the same build, the address is enough.
  const Comparison same = compared(before, profile("old", 1000, "code at 0x200", 1000));
  EXPECT_DOUBLE_EQ(function_of(same, "code at 0x200").change().ratio, 2);
}

TEST(Comparison, AFileWithoutBuildIdIsTheSameBuildAtItsPath) {
  const auto profile = [](const std::string& path) {
    return MadeProfile("app").add("code at 0x100", 1000).lies_at(0x100).stripped("", path);
  };
  EXPECT_EQ(compared(profile("/a/app"), profile("/a/app")).events[0].functions.size(), 1u);
  EXPECT_EQ(compared(profile("/a/app"), profile("/b/app")).events[0].functions.size(), 2u);
}

TEST(Comparison, GateReportsFunctionAddress) {
  const MadeProfile before = MadeProfile("prog").add("main", 500).add("checksum", 1000).lies_at(0x100);
  const MadeProfile after = MadeProfile("prog").add("main", 500).add("checksum", 1500).lies_at(0x1000);
  const std::vector<RunCosts> after_runs{after.costs()};
  const Comparison found = compare_runs({before.costs()}, after_runs, {.per = Per::run, .counter = {}}).value();
  std::vector<Verdict> gate = judge(found, {request::parse_fail_condition("function:checksum>10%").value(),
                                            request::parse_fail_condition("function:main>10%").value(),
                                            request::parse_fail_condition("module:prog>10%").value()});
  const MadeFile file;
  find_sources(found, after_runs, [&](const auto&) { return std::make_unique<OpenedFile>(file); }, gate);
  ASSERT_TRUE(gate[0].source.has_value());
  EXPECT_EQ(gate[0].source->file, "made.c");
  EXPECT_EQ(gate[0].source->line, 0x1100U) << "as the build after has it";
  EXPECT_FALSE(gate[1].source.has_value()) << "it passed";
  EXPECT_FALSE(gate[2].source.has_value()) << "a module has no line";
  std::vector<Verdict> without = judge(found, {request::parse_fail_condition("function:checksum>10%").value()});
  find_sources(found, after_runs, [](const auto&) { return std::unique_ptr<BuildFile>(); }, without);
  EXPECT_FALSE(without[0].source.has_value());
}

TEST(Comparison, EqualCodeIsNotRenameWhileOldNameExists) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("copy_a", 1000).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("copy_b", 1000).lies_at(0x1000);
  const MadeFile old_file{{{0x200, "copy_a", 77}, {0x300, "copy_b", 77}}};
  const MadeFile new_file{{{0x1100, "copy_b", 77}, {0x1200, "copy_a", 77}}};
  const Comparison found = compared_with_code(before, old_file, after, new_file);
  EXPECT_EQ(found.events[0].functions.size(), 3u);
  EXPECT_TRUE(function_of(found, "copy_b").was.empty());
  // The functions are also not joined if there are two candidates, or if the equal code is too short to be evidence.
  const MadeProfile two = MadeProfile("new").add("main", 500).add("x", 500).add("y", 500).lies_at(0x1000);
  const MadeFile only_a{{{0x200, "copy_a", 77}}};
  const Comparison unsure = compared_with_code(before, only_a, two, {{{0x1100, "x", 77}, {0x1200, "y", 77}}});
  EXPECT_EQ(unsure.events[0].functions.size(), 4u);
  ASSERT_EQ(unsure.notes.size(), 1u);
  EXPECT_NE(unsure.notes[0].find("copy_a before and x, y after have the same code"), std::string::npos);
  const MadeFile short_a{{{0x200, "copy_a", 0}}};
  EXPECT_EQ(compared_with_code(before, short_a, after, {{{0x1100, "copy_b", 0}}}).events[0].functions.size(), 3u);
}

TEST(Comparison, WhereCodeIsNotHereThatIsSaid) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("checksum", 1000).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("digest", 1500).lies_at(0x1000);
  const MadeFile old_file{{{0x200, "checksum", {}}}}, new_file{{{0x1100, "digest", 77}}};
  const Comparison found = compared_with_code(before, old_file, after, new_file);
  EXPECT_EQ(function_of(found, "digest").before, 0);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("build in old.data cannot be read"), std::string::npos);
}

TEST(Comparison, FoldedFunctionsAreOneWhicheverNameIsShown) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("alpha", 600).add("beta", 400).lies_at(0x100);
  const MadeFile apart{{{0x200, "alpha", 5}, {0x300, "beta", 5}}};
  const MadeProfile after = MadeProfile("new").add("main", 500).add("beta", 1000).lies_at(0x1000);
  const MadeFile folded{{{0x1100, "alpha", 5}, {0x1100, "beta", 5}}};
  const Comparison found = compared_with_code(before, apart, after, folded);
  EXPECT_EQ(found.events[0].functions.size(), 2u);
  EXPECT_DOUBLE_EQ(function_of(found, "beta").change().ratio, 1);
  EXPECT_TRUE(diag::names_all(function_of(found, "beta").note, {"same code", "alpha"}));
  const Comparison back = compared_with_code(MadeProfile("old").add("main", 500).add("beta", 1000).lies_at(0x100),
                                             {{{0x200, "alpha", 5}, {0x200, "beta", 5}}},
                                             MadeProfile("new").add("main", 500).add("alpha", 1000).lies_at(0x1000),
                                             {{{0x1100, "alpha", 5}, {0x1100, "beta", 5}}});
  EXPECT_DOUBLE_EQ(function_of(back, "alpha").change().ratio, 1);
  EXPECT_EQ(back.events[0].functions.size(), 2u);
}

TEST(Comparison, OverloadIsNotRename) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("parse(int)", 600).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("parse(char)", 600).lies_at(0x1000);
  const Comparison found = compared_with_code(before, {{{0x200, "parse", 5}, {0x300, "parse", 6}}}, after,
                                              {{{0x1100, "parse", 5}, {0x1200, "parse", 6}}});
  EXPECT_EQ(found.events[0].functions.size(), 3u);
}

TEST(Comparison, RenamedModuleIsMatchedByFunctions) {
  const Comparison found = compared(MadeProfile("old").add("f", 1000).add("g", 500).add("x", 9),
                                    MadeProfile("new").add("f", 1000).add("g", 500));
  EXPECT_DOUBLE_EQ(function_of(found, "f").change().ratio, 1);
  EXPECT_EQ(function_of(found, "f").module, "new");
  ASSERT_EQ(found.events[0].modules.size(), 1u);
  const Comparison other =
      compared(MadeProfile("old").add("f", 1000).add("g", 500), MadeProfile("new").add("y", 1000).add("z", 500));
  EXPECT_EQ(other.events[0].modules.size(), 2u);
}

TEST(Comparison, SharesHideWhatTheWholeDidAndThatIsSaid) {
  const Comparison found = compared(MadeProfile("p").add("f", 1000), MadeProfile("p").add("f", 2000), Per::share);
  EXPECT_DOUBLE_EQ(function_of(found, "f").change().ratio, 1);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("by 100.0 %"), std::string::npos);
}

TEST(Comparison, PerSecondAndPerAnotherEvent) {
  std::vector<RunCosts> before = {MadeProfile("p").add("f", 1000).costs()},
                        after = {MadeProfile("p").add("f", 2000).costs()};
  after[0].seconds = 4;
  auto by_second = compare_runs(before, after, {.per = Per::second, .counter = {}});
  EXPECT_DOUBLE_EQ(by_second.value().events[0].functions[0].change().ratio, 1);
  before[0].counts = {{"inst_retired", 5e6}};
  EXPECT_FALSE(compare_runs(before, after, {.per = Per::counter, .counter = "inst_retired"}).has_value());
  after[0].counts = {{"inst_retired", 5e6}};
  auto by_count = compare_runs(before, after, {.per = Per::counter, .counter = "inst_retired"});
  EXPECT_DOUBLE_EQ(by_count.value().events[0].functions[0].change().ratio, 2);
}

TEST(Comparison, TooFewRunsAreRefused) {
  const std::vector<RunCosts> three(3, counted(1)), four(4, counted(1));
  EXPECT_FALSE(compare_runs(three, three, {}).has_value());
  EXPECT_FALSE(compare_runs({counted(1)}, four, {}).has_value());
  EXPECT_TRUE(compare_runs(four, four, {}).has_value());
  EXPECT_TRUE(compare_runs({counted(1)}, {counted(1)}, {}).has_value());
}

TEST(Comparison, CopiesOfARunAreOneRun) {
  const RunCosts one = MadeProfile("p").add("f", 100).add("g", 100).costs();
  const RunCosts other = MadeProfile("p").add("f", 108).add("g", 92).costs();
  std::vector<RunCosts> before(5, one), after(5, other), mixed{one, other, one, one, other};
  EXPECT_FALSE(remove_identical_runs(before, mixed));
  EXPECT_EQ(before.size(), 5u);
  EXPECT_TRUE(remove_identical_runs(before, after));
  ASSERT_EQ(after.size(), 1u);
  EXPECT_FALSE(function_of(compare_runs(before, after, {.per = Per::run, .counter = {}}).value(), "f").is_significant);
  // Counts that repeat exactly are not removed.
  std::vector<RunCosts> counts(4, counted(1)), others(4, counted(2));
  EXPECT_FALSE(remove_identical_runs(counts, others));
}

// Ten times as many samples of the same program are not ten times the evidence.
TEST(Comparison, SamplesOfASideAreWhatChanceIsAbout) {
  MadeProfile seldom = MadeProfile("p").add("f", 9).add("g", 80), often = MadeProfile("p").add("f", 780).add("g", 4600);
  seldom.cost_of_samples(50);
  const Comparison found = compared(seldom, often, Per::share);
  EXPECT_FALSE(function_of(found, "f").is_significant);
  EXPECT_EQ(function_of(found, "f").samples_before, 9u);
  EXPECT_NEAR(function_of(found, "f").before, 9 / 89.0, 1e-9);
  EXPECT_NEAR(function_of(found, "f").rates.before, 9, 1e-9);
}

TEST(Comparison, ASideWithoutSamplesIsNotCompared) {
  const RunCosts some = MadeProfile("p").add("f", 100).costs(), none = MadeProfile("p").costs();
  const auto done = compare_runs({some}, {none}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().text, "p.data has no samples of cycles");
}

TEST(Comparison, ModulesWithoutNamesOnOneSideAreComparedAsAWhole) {
  MadeProfile named = MadeProfile("p").add("f", 1000).add("g", 1000);
  MadeProfile nameless = MadeProfile("p").add("", 2000);
  const Comparison found = compared(named, nameless);
  const EventChange& event = found.events.at(0);
  EXPECT_TRUE(event.functions.empty());
  ASSERT_EQ(event.modules.size(), 1u);
  EXPECT_FALSE(event.modules[0].is_significant);
  ASSERT_EQ(event.nameless.size(), 1u);
  EXPECT_NE(event.nameless[0].find("functions of p are not compared, because p.data has no names"), std::string::npos);
  EXPECT_EQ(judged(found, "function:f>5%"), Verdict::Kind::unknown);
  EXPECT_EQ(judged(found, "function:*>5%"), Verdict::Kind::unknown);
  EXPECT_EQ(judged(found, "module:*>5%"), Verdict::Kind::passed);
  // With a few stubs without names, the module still counts as named.
  EXPECT_EQ(compared(named, MadeProfile("p").add("f", 1000).add("g", 980).add("", 20)).events.at(0).functions.size(),
            3u);
}

TEST(Comparison, ChoosesByANameOfEitherSide) {
  const ComparisonOptions options{.per = Per::run,
                                  .counter = {},
                                  .module = [](std::string_view module) { return module == "new"; },
                                  .symbol = [](std::string_view name) { return name == "f"; }};
  const auto found = compare_runs({MadeProfile("old").add("f", 100).add("g", 100).costs()},
                                  {MadeProfile("new").add("f", 100).add("g", 100).costs()}, options);
  ASSERT_EQ(found.value().events.at(0).functions.size(), 1u);
  EXPECT_EQ(found.value().events[0].functions[0].samples_before, 100u);
}

// The detectable change is the smallest one that would be significant when all functions are compared.
TEST(Comparison, ManyFunctionsHideSmallChanges) {
  MadeProfile few = MadeProfile("p").add("f", 1000), many = MadeProfile("p").add("f", 1000);
  for (int i = 0; i < 100; ++i) many.add("g" + std::to_string(i), 10);
  EXPECT_GT(compared(many, many).events.at(0).functions.at(0).detectable(),
            1.02 * compared(few, few).events.at(0).functions.at(0).detectable());
}

TEST(RunCosts, EachEventIsAddedOverCoresAndAbsentWhereNothingCountedIt) {
  const auto row = [](std::string name, u64 value, double fraction) {
    answers::CountRow made;
    made.name = std::move(name);
    made.scaled = value;
    made.fraction = fraction;
    return made;
  };
  answers::CountProfile profile;
  profile.elapsed_seconds = 2;
  answers::CountUnit first, second;
  // A second row with the same name on a core has the same count, from another group.
  first.rows = {row("inst_retired", 10, 1), row("inst_retired", 11, 1), row("l1d_cache", 0, 0)};
  second.rows = {row("inst_retired", 30, 0.5)};
  profile.classes[0].units = {first, second};
  const RunCosts costs = costs_of(profile, "./new");
  EXPECT_EQ(costs.file, "./new");
  EXPECT_EQ(costs.seconds, 2);
  ASSERT_EQ(costs.counts.size(), 1u);
  EXPECT_EQ(costs.counts[0].event, "inst_retired");
  EXPECT_EQ(costs.counts[0].value, 40);
  EXPECT_EQ(costs.uncounted, std::vector<std::string>{"l1d_cache"});
  EXPECT_TRUE(diag::names_all(costs.losses.at(0), {"l1d_cache was never scheduled"}));
}

answers::CountRow count_row(const char* name, u64 count) {
  answers::CountRow row;
  row.name = name;
  row.scaled = count;
  return row;
}

TEST(Comparison, EventsOfTwoClassesWithTheSameNameAreTwoEvents) {
  answers::CountProfile profile;
  answers::CountUnit core, cluster;
  core.rows = {count_row("l3d_cache", 70)};
  cluster.rows = {count_row("l3d_cache", 4277)};
  profile.classes[index_of(EventClass::core)].units = {core};
  profile.classes[index_of(EventClass::dsu)].units = {cluster};
  const RunCosts costs = costs_of(profile, "./new");
  ASSERT_EQ(costs.counts.size(), 2u);
  EXPECT_EQ(costs.counts[0].event, "l3d_cache");
  EXPECT_EQ(costs.counts[0].value, 70);
  EXPECT_EQ(costs.counts[1].event, "/dsu/l3d_cache");
  EXPECT_EQ(costs.counts[1].value, 4277);
}

TEST(Comparison, CyclesWithoutACounterOrWithTheKernelAreMentioned) {
  answers::CountProfile profile;
  answers::CountUnit core;
  core.rows = {count_row("cycle", 9), count_row("inst_retired", 5)};
  core.cycle_row = answers::CycleRow::with_kernel;
  profile.classes[0].units = {core};
  EXPECT_TRUE(diag::names_all(costs_of(profile, "p").losses.at(0), {"cycle includes the kernel"}));
  profile.classes[0].units[0].cycle_row = answers::CycleRow::uncounted;
  EXPECT_EQ(costs_of(profile, "p").counts.at(0).event, "inst_retired");
}

TEST(Comparison, ALossOfAllRunsIsOneNote) {
  RunCosts run = counted(1);
  run.file = "./new";
  run.losses = {"a was never scheduled on a counter, so it was not counted."};
  run.uncounted = {"a"};
  const Comparison found = compare_runs({4, run}, {4, run}, {}).value();
  EXPECT_EQ(std::count_if(found.notes.begin(), found.notes.end(),
                          [](const std::string& note) { return note.find("a was never") != std::string::npos; }),
            1);
  const Verdict verdict = judge(found, {request::parse_fail_condition("a>1%").value()}).at(0);
  EXPECT_FALSE(verdict.is_misnamed);
  EXPECT_TRUE(diag::names_all(verdict.why, {"a: it was never scheduled"}));
}

}  // namespace
}  // namespace wperf::compare
