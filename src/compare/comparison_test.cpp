// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison.h"

#include <gtest/gtest.h>

#include "compare/function_sources.h"
#include "compare/gate.h"
#include "compare/total_review.h"

namespace wperf::compare {
namespace {

// One event, one thread, and samples of functions, each perhaps inlined into another.
class MadeProfile {
 public:
  explicit MadeProfile(std::string module) {
    profile_.file = module + ".data";
    profile_.events.push_back({.name = "cycles"});
    profile_.names.emplace_back("prog");
    profile_.tasks.push_back({7, 7, 0});
    profile_.modules.push_back({.name = std::move(module), .path = {}, .reason = {}});
    profile_.nodes.push_back({});
    profile_.elapsed_seconds = 2;
  }

  MadeProfile& add(const std::string& function, u64 count, const std::string& inlined_into = {}) {
    u32 parent = 0;
    if (!inlined_into.empty()) parent = node(0, inlined_into, false);
    const u32 here = node(parent, function + (inlined_into.empty() ? "" : " (inlined)"), !inlined_into.empty());
    profile_.samples.push_back({0, 0, 0, here, count, count * 1000});
    return *this;
  }

  // Where functions of these names begin, in the order in which they were added.
  MadeProfile& lies_at(u64 begin) {
    for (stacks::StackFunction& function : profile_.functions) {
      function.begin = begin;
      begin += 0x100;
    }
    return *this;
  }

  void cost_of_samples(u64 times) {
    for (stacks::StackSample& sample : profile_.samples) sample.period *= times;
  }

  RunCosts costs() const { return run_costs(profile_, {}); }

 private:
  u32 node(u32 parent, const std::string& function, bool is_inlined) {
    profile_.functions.push_back({function, 0, !function.empty(), false, is_inlined});
    profile_.places.push_back({static_cast<u32>(profile_.functions.size() - 1)});
    profile_.nodes.push_back({parent, static_cast<u32>(profile_.places.size() - 1)});
    return static_cast<u32>(profile_.nodes.size() - 1);
  }

  stacks::StackProfile profile_;
};

Comparison compared(const MadeProfile& before, const MadeProfile& after, Per per = Per::run) {
  auto done = compare_runs({before.costs()}, {after.costs()}, {.per = per, .counter = {}});
  EXPECT_TRUE(done.has_value());
  return std::move(done).value();
}

const UnitChange& function_of(const Comparison& comparison, std::string_view name) {
  for (const UnitChange& row : comparison.events.at(0).functions) {
    if (row.name == name) return row;
  }
  static const UnitChange kNone{};
  ADD_FAILURE() << name;
  return kNone;
}

Verdict::Kind judged(const Comparison& comparison, std::string_view condition) {
  return judge(comparison, {request::parse_fail_condition(condition).value()}).at(0).kind;
}

TEST(Comparison, SignsAndSizesAreThoseOfWhatChanged) {
  const Comparison found =
      compared(MadeProfile("p").add("f", 1000).add("g", 3000), MadeProfile("p").add("f", 1500).add("g", 3000));
  const UnitChange& f = function_of(found, "f");
  EXPECT_TRUE(f.found);
  EXPECT_DOUBLE_EQ(f.change().ratio, 1.5);
  EXPECT_DOUBLE_EQ(f.before, 1'000'000);
  EXPECT_DOUBLE_EQ(f.after, 1'500'000);
  EXPECT_FALSE(function_of(found, "g").found);
  const Comparison back = compared(MadeProfile("p").add("f", 1500), MadeProfile("p").add("f", 1000));
  EXPECT_NEAR(function_of(back, "f").change().ratio, 2.0 / 3, 1e-12);
}

TEST(Comparison, CostThatMovedByInliningIsNoChangeAndIsSaid) {
  const MadeProfile before = MadeProfile("p").add("f", 1000).add("g", 2000);
  const MadeProfile after = MadeProfile("p").add("f", 1000, "g").add("g", 2000);
  const UnitChange row = function_of(compared(before, after), "f");
  EXPECT_FALSE(row.found);
  EXPECT_DOUBLE_EQ(row.change().ratio, 1);
  EXPECT_EQ(row.note, "moved into g, which has it inlined now");
  EXPECT_EQ(function_of(compared(after, before), "f").note, "moved out of g, which had it inlined");
}

TEST(Comparison, CopiesOfCompilersAreTheFunction) {
  const Comparison found =
      compared(MadeProfile("p").add("f", 1000), MadeProfile("p").add("f.part.0", 400).add("f.cold", 600));
  EXPECT_EQ(found.events[0].functions.size(), 1u);
  EXPECT_DOUBLE_EQ(function_of(found, "f").change().ratio, 1);
}

TEST(Comparison, AFunctionInlinedIntoSeveralNamesThemAll) {
  const MadeProfile before = MadeProfile("prog").add("f", 900).add("g", 500).add("h", 500);
  const MadeProfile two = MadeProfile("prog").add("f", 300, "h").add("f", 600, "g").add("g", 500).add("h", 500);
  EXPECT_EQ(function_of(compared(before, two), "f").note, "moved into g and h, which have it inlined now");
  EXPECT_EQ(function_of(compared(two, before), "f").note, "moved out of g and h, which had it inlined");
  MadeProfile many = MadeProfile("prog").add("g", 500).add("h", 500);
  for (u64 i = 0; i < 6; ++i) many.add("f", 100 + i, "host" + std::to_string(i));
  EXPECT_EQ(function_of(compared(before, many), "f").note,
            "moved into host5, host4, host3 and 3 more, which have it inlined now");
}

// The file of one module: names and code by where functions begin.
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
  std::optional<u64> code_hash(u64 begin) const override {
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

// Of modules "old" and "new".
Comparison compared_with_code(const MadeProfile& before, const MadeFile& old_file, const MadeProfile& after,
                              const MadeFile& new_file) {
  const OpenBuildFile open = [&](const stacks::StackModule& module) {
    return std::make_unique<OpenedFile>(module.name == "old" ? old_file : new_file);
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
  // The gate knows it by both names.
  const auto gate = judge(found, {request::parse_fail_condition("function:checksum>10%").value()});
  EXPECT_EQ(gate.at(0).kind, Verdict::Kind::failed);
}

TEST(Comparison, AGateTellsWhereTheFunctionBegins) {
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

TEST(Comparison, EqualCodeIsNoRenameWhereTheOldNameIsStillThere) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("copy_a", 1000).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("copy_b", 1000).lies_at(0x1000);
  const MadeFile old_file{{{0x200, "copy_a", 77}, {0x300, "copy_b", 77}}};
  const MadeFile new_file{{{0x1100, "copy_b", 77}, {0x1200, "copy_a", 77}}};
  const Comparison found = compared_with_code(before, old_file, after, new_file);
  EXPECT_EQ(found.events[0].functions.size(), 3u);
  EXPECT_TRUE(function_of(found, "copy_b").was.empty());
  // Nor where two could be it, or so little code is the same that it tells nothing.
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
  EXPECT_NE(found.notes[0].find("code of old.data cannot be read here"), std::string::npos);
}

TEST(Comparison, FoldedFunctionsAreOneWhicheverNameIsShown) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("alpha", 600).add("beta", 400).lies_at(0x100);
  const MadeFile apart{{{0x200, "alpha", 5}, {0x300, "beta", 5}}};
  const MadeProfile after = MadeProfile("new").add("main", 500).add("beta", 1000).lies_at(0x1000);
  const MadeFile folded{{{0x1100, "alpha", 5}, {0x1100, "beta", 5}}};
  const Comparison found = compared_with_code(before, apart, after, folded);
  EXPECT_EQ(found.events[0].functions.size(), 2u);
  EXPECT_DOUBLE_EQ(function_of(found, "beta").change().ratio, 1);
  EXPECT_EQ(function_of(found, "beta").note, "one code with alpha");
  const Comparison back = compared_with_code(MadeProfile("old").add("main", 500).add("beta", 1000).lies_at(0x100),
                                             {{{0x200, "alpha", 5}, {0x200, "beta", 5}}},
                                             MadeProfile("new").add("main", 500).add("alpha", 1000).lies_at(0x1000),
                                             {{{0x1100, "alpha", 5}, {0x1100, "beta", 5}}});
  EXPECT_DOUBLE_EQ(function_of(back, "alpha").change().ratio, 1);
  EXPECT_EQ(back.events[0].functions.size(), 2u);
}

TEST(Comparison, AnOverloadIsNoOtherName) {
  const MadeProfile before = MadeProfile("old").add("main", 500).add("parse(int)", 600).lies_at(0x100);
  const MadeProfile after = MadeProfile("new").add("main", 500).add("parse(char)", 600).lies_at(0x1000);
  const Comparison found = compared_with_code(before, {{{0x200, "parse", 5}, {0x300, "parse", 6}}}, after,
                                              {{{0x1100, "parse", 5}, {0x1200, "parse", 6}}});
  EXPECT_EQ(found.events[0].functions.size(), 3u);
}

TEST(Comparison, AModuleOfAnotherNameIsFoundByItsFunctions) {
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
  EXPECT_NE(found.notes[0].find("grew in all by 100.0 %"), std::string::npos);
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

RunCosts counted(double value) {
  RunCosts run;
  run.counts = {{"inst_retired", value}};
  return run;
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
  EXPECT_FALSE(take_out_copies(before, mixed));
  EXPECT_EQ(before.size(), 5u);
  EXPECT_TRUE(take_out_copies(before, after));
  ASSERT_EQ(after.size(), 1u);
  EXPECT_FALSE(function_of(compare_runs(before, after, {.per = Per::run, .counter = {}}).value(), "f").found);
  // Counts that repeat are exact.
  std::vector<RunCosts> counts(4, counted(1)), others(4, counted(2));
  EXPECT_FALSE(take_out_copies(counts, others));
}

// Ten times the samples of the same program are not ten times the evidence of the few.
TEST(Comparison, SamplesOfASideAreWhatChanceIsAbout) {
  MadeProfile seldom = MadeProfile("p").add("f", 9).add("g", 80), often = MadeProfile("p").add("f", 780).add("g", 4600);
  seldom.cost_of_samples(50);
  const Comparison found = compared(seldom, often, Per::share);
  EXPECT_FALSE(function_of(found, "f").found);
  EXPECT_EQ(function_of(found, "f").samples_before, 9u);
  EXPECT_NEAR(function_of(found, "f").before, 9 / 89.0, 1e-9);
  EXPECT_NEAR(function_of(found, "f").seen.before, 9, 1e-9);
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
  EXPECT_FALSE(event.modules[0].found);
  ASSERT_EQ(event.nameless.size(), 1u);
  EXPECT_NE(event.nameless[0].find("functions of p are not compared, because p.data has no names"), std::string::npos);
  EXPECT_EQ(judged(found, "function:f>5%"), Verdict::Kind::unknown);
  EXPECT_EQ(judged(found, "function:*>5%"), Verdict::Kind::unknown);
  EXPECT_EQ(judged(found, "module:*>5%"), Verdict::Kind::passed);
  // A few stubs are no reason.
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

// What is said to be seen is what would be called sure beside all that is compared.
TEST(Comparison, ManyFunctionsHideSmallChanges) {
  MadeProfile few = MadeProfile("p").add("f", 1000), many = MadeProfile("p").add("f", 1000);
  for (int i = 0; i < 100; ++i) many.add("g" + std::to_string(i), 10);
  EXPECT_GT(compared(many, many).events.at(0).functions.at(0).detectable(),
            1.02 * compared(few, few).events.at(0).functions.at(0).detectable());
}

TEST(Gate, FailsOnlyWhereAllOfTheIntervalIsBeyond) {
  using Kind = Verdict::Kind;
  const std::vector<RunCosts> before = {counted(1000), counted(1001), counted(1002), counted(1003)};
  const std::vector<RunCosts> after = {counted(1010), counted(1011), counted(1012), counted(1030)};
  const Comparison found = compare_runs(before, after, {}).value();
  EXPECT_EQ(judged(found, "inst_retired>0.5%"), Kind::failed);
  EXPECT_EQ(judged(found, "inst_retired>0.9%"), Kind::passed);  // the median is beyond, the near end is not
  EXPECT_EQ(judged(found, "*>0%"), Kind::failed);
  EXPECT_EQ(judged(found, "cycles>0%"), Kind::unknown);
  // From nothing to something is more than any percentage; the other way it is not.
  const std::vector<RunCosts> none(4, counted(0));
  EXPECT_EQ(judged(compare_runs(none, after, {}).value(), "inst_retired>500%"), Kind::failed);
  EXPECT_EQ(judged(compare_runs(after, none, {}).value(), "inst_retired>0%"), Kind::passed);
  EXPECT_EQ(judged(compare_runs({counted(1)}, {counted(2)}, {}).value(), "inst_retired>0%"), Kind::unknown);
  const Comparison units = compared(MadeProfile("p").add("a::f(int)", 1000), MadeProfile("p").add("a::f(int)", 1500));
  EXPECT_EQ(judged(units, "function:f>10%"), Kind::failed);
  EXPECT_EQ(judged(units, "function:*>10%"), Kind::failed);
  EXPECT_EQ(judged(units, "module:p>10%"), Kind::failed);
  EXPECT_EQ(judged(units, "function:f>60%"), Kind::passed);
  EXPECT_EQ(judged(units, "function:g>0%"), Kind::unknown);
}

std::vector<RunCosts> counted_runs(std::initializer_list<double> values) {
  std::vector<RunCosts> runs;
  for (const double value : values) runs.push_back(counted(value));
  return runs;
}
Comparison reviewed(const std::vector<RunCosts>& before, const std::vector<RunCosts>& after,
                    std::optional<Per> per = {}) {
  const ComparisonOptions options{.per = per, .counter = {}};
  Comparison found = compare_runs(before, after, options).value();
  review_totals(found, options);
  return found;
}

TEST(Gate, ARunThatCountedNothingIsNoNothing) {
  using Kind = Verdict::Kind;
  const Comparison faults = reviewed(counted_runs({0, 100, 100, 100, 100}), counted_runs({101, 101, 101, 101, 101}));
  EXPECT_EQ(judged(faults, "inst_retired>50%"), Kind::passed);
  const Comparison grew = reviewed(counted_runs({0, 10, 10, 10, 10}), counted_runs({100, 110, 120, 130, 140}));
  EXPECT_EQ(judged(grew, "inst_retired>50%"), Kind::failed);
  const Comparison rare = reviewed(counted_runs({0, 0, 0, 0, 10}), counted_runs({100, 110, 120, 130, 140}));
  EXPECT_EQ(judged(rare, "inst_retired>50%"), Kind::unknown);
}

// Two events, the second of which changed alone.
std::vector<RunCosts> two_counts(double first, double second, double step) {
  std::vector<RunCosts> runs;
  for (int run = 0; run < 4; ++run) {
    RunCosts one;
    one.counts = {{"cycle", first + run}, {"inst_retired", second + step * run}};
    runs.push_back(std::move(one));
  }
  return runs;
}

TEST(Gate, FailsOnNothingThatTheTableCallsChance) {
  const Comparison unsure = reviewed(two_counts(100, 1000, 1), two_counts(100, 1100, 1));
  EXPECT_FALSE(unsure.totals.at(1).found);
  EXPECT_EQ(judged(unsure, "inst_retired>0.1%"), Verdict::Kind::passed);
  EXPECT_EQ(judged(unsure, "*>0%"), Verdict::Kind::passed);
  ASSERT_FALSE(unsure.notes.empty());
  EXPECT_NE(unsure.notes.front().find("take at least 5 runs a side"), std::string::npos) << unsure.notes.front();
  // What repeats exactly and changed is sure.
  const Comparison exact = reviewed(two_counts(100, 1000, 0), two_counts(100, 1100, 0));
  EXPECT_TRUE(exact.totals.at(1).found);
  EXPECT_EQ(judged(exact, "inst_retired>0.1%"), Verdict::Kind::failed);
  EXPECT_DOUBLE_EQ(exact_answer_of(4, 4), 2.0 / 256);
}

TEST(Gate, TellsWhyNothingOfANameIsJudged) {
  const auto why = [](const Comparison& found, std::string_view condition) {
    return judge(found, {request::parse_fail_condition(condition).value()}).at(0).why;
  };
  const Comparison found =
      compared(MadeProfile("old").add("f", 1000).add("rare", 2), MadeProfile("new").add("f", 1500).add("rare", 2));
  EXPECT_NE(why(found, "function:rare>1%").find("fewer than 6 samples"), std::string::npos);
  EXPECT_NE(why(found, "function:absent>1%").find("was seen on either side"), std::string::npos);
  EXPECT_NE(why(found, "line:a.c:18>1%").find("--sort symbol,line"), std::string::npos);
  EXPECT_EQ(judged(found, "module:old>10%"), Verdict::Kind::failed);
  EXPECT_EQ(judged(found, "module:new>10%"), Verdict::Kind::failed);
  EXPECT_NE(why(reviewed({counted(1)}, {counted(2)}), "function:f>1%").find("counts alone"), std::string::npos);
}

TEST(TotalReview, NotesWhatNumbersAloneHide) {
  const Comparison found =
      reviewed(counted_runs({10, 20, 160, 161, 300}), counted_runs({5, 8, 210, 211, 212}), Per::share);
  EXPECT_NE(found.notes.back().find("counts have no share"), std::string::npos);
  const double shown = found.totals.at(0).median_after - found.totals.at(0).median_before;
  EXPECT_GT(shown, 0);
  EXPECT_EQ(found.notes.size(), found.totals.at(0).ratio < 1 ? 2U : 1U);
}

}  // namespace
}  // namespace wperf::compare
