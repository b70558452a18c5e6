// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/headline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "views/report/about_text.h"
#include "views/report/stack_report.h"

namespace wperf::report {
namespace {

using stacks::kNothing;
using stacks::RecordingAbout;

// main calls sort, which calls itself and then compare; there are two threads, and an idle core.
stacks::StackProfile sorting() {
  stacks::StackProfile profile;
  profile.events = {{"cpu-clock", 100, 1'257'750'000, 1, 0}};
  profile.names = {"work", "swapper"};
  profile.tasks = {{7, 7, 0}, {7, 8, 0}, {0, 0, 1}};
  profile.modules = {{"work", "/bin/work", ""}};
  profile.functions = {{"main", 0, true}, {"sort", 0, true}, {"compare", 0, true}};
  profile.places = {{0, kNothing}, {1, kNothing}, {2, kNothing}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 1}, {2, 1}, {3, 2}, {1, 2}};
  profile.samples = {{0, 0, 0, 4, 30, 300'000'000}, {0, 1, 0, 5, 10, 100'000'000}, {0, 0, 0, 3, 20, 200'000'000}};
  profile.has_callers = true;
  profile.elapsed_seconds = 1.749;
  return profile;
}

RecordingAbout measured() {
  RecordingAbout about;
  about.command = "wperf record -g -- ./work 20";
  about.program = "./work 20";
  about.image = "work";
  about.host = "build7";
  about.processor = "Neoverse-N1";
  about.version = "wperf 1.0";
  about.cores = 4;
  about.begun_unix_ns = 1'769'864'759'000'000'000;
  about.elapsed_ns = 1'790'000'000;
  about.cpu_ns = 1'302'000'000;
  about.has_ended = true;
  return about;
}

TEST(Headline, TellsTimeCoresAndWhoWasHot) {
  const RecordingAbout about = measured();
  const Headline head = headline(sorting(), &about, {});
  EXPECT_EQ(head.time, "ran 1.790 s, used 1.302 s of CPU (0.73 cores); 2 threads sampled");
  EXPECT_EQ(head.waited, "");
  EXPECT_EQ(head.hottest, "hottest: compare in work, 31.80 %; called by sort (75 % of that)");
  EXPECT_EQ(made_text(about),
            "by wperf 1.0 on build7 (Neoverse-N1, 4 cores), 2026-01-31 13:05:59 UTC: "
            "`wperf record -g -- ./work 20`");
  StackOptions options;
  options.about = &about;
  const auto recording = nlohmann::json::parse(stack_json(sorting(), options))["recording"];
  EXPECT_EQ(recording["headline"]["elapsed_seconds"], 1.79);
  EXPECT_EQ(recording["headline"]["cpu_seconds"], 1.302);
  EXPECT_EQ(recording["headline"]["mostly_waited"], false);
  EXPECT_EQ(recording["headline"]["threads_sampled"], 2);
  EXPECT_EQ(recording["headline"]["hottest"]["symbol"], "compare");
  EXPECT_EQ(recording["headline"]["hottest"]["caller"], "sort");
  EXPECT_EQ(recording["about"]["command"], about.command);
  EXPECT_EQ(recording["about"]["begun"], "2026-01-31 13:05:59 UTC");
}

// Facts are not guessed: the time between the first and last sample is not the run time of the program, and a sampled
// clock is not CPU time.
TEST(Headline, ForeignRecordingsOmitUnknownFacts) {
  const RecordingAbout nothing;
  EXPECT_EQ(headline(sorting(), &nothing, {}).time, "1.749 s from first to last sample; 2 threads sampled");
  EXPECT_EQ(headline(sorting(), nullptr, {}).time, "1.749 s from first to last sample");
  EXPECT_EQ(made_text(nothing), "");
  const auto recording = nlohmann::json::parse(stack_json(sorting(), {}))["recording"];
  EXPECT_FALSE(recording["headline"].contains("elapsed_seconds"));
  EXPECT_FALSE(recording["headline"].contains("cpu_seconds"));
  EXPECT_FALSE(recording.contains("about"));
  EXPECT_EQ(headline({}, nullptr, {}).hottest, "");
}

TEST(Headline, AProgramThatWaitedIsSaidToHaveWaited) {
  RecordingAbout about = measured();
  about.cpu_ns = 1'000'000;
  EXPECT_EQ(headline(sorting(), &about, {}).time,
            "ran 1.790 s, used 1.0 ms of CPU (0.1 % of a core); 2 threads sampled");
  EXPECT_EQ(headline(sorting(), &about, {}).waited,
            "It was off the CPU most of the time. `wperf waits -- ./work 20` shows whether it waited, and for what, or "
            "whether other programs had the cores.");
  about.program = "";
  about.watched = 17;
  EXPECT_NE(headline(sorting(), &about, {}).waited.find("`wperf waits -p 17`"), std::string::npos);
  const std::string command = about.command;
  about.command = "wperf record -p 17 --timeout 2 -o r.data";
  EXPECT_NE(headline(sorting(), &about, {}).waited.find("`wperf waits -p 17 --timeout 2`"), std::string::npos);
  about.command = "wperf record -p 17 --timeout=2s";
  EXPECT_NE(headline(sorting(), &about, {}).waited.find("`wperf waits -p 17 --timeout=2s`"), std::string::npos);
  about.command = command;
  about.watched = 0;
  about.has_ended = false;
  EXPECT_TRUE(headline(sorting(), &about, {}).time.starts_with("recorded for 1.790 s, used"));
  EXPECT_NE(headline(sorting(), &about, {}).waited.find("`wperf waits -p PID`"), std::string::npos);
  about.is_of_machine = true;
  EXPECT_TRUE(headline(sorting(), &about, {}).time.starts_with("recorded the whole machine for 1.790 s"));
  EXPECT_EQ(headline(sorting(), &about, {}).waited, "");
  about = measured();
  about.cpu_ns = {};
  EXPECT_EQ(headline(sorting(), &about, {}).time, "ran 1.790 s; 2 threads sampled");
  EXPECT_EQ(headline(sorting(), &about, {}).waited, "") << "nobody knows";
}

TEST(Headline, IdleCoresCountOnlyForTheWhole) {
  stacks::StackProfile profile = sorting();
  const HottestFunction before = headline(profile, nullptr, {}).hot.value();
  // A sample of the hottest function by process 0.
  const auto is_hot = [&](const stacks::StackSample& sample) {
    return profile.function_of(sample.node) == before.function;
  };
  stacks::StackSample idle = *std::ranges::find_if(profile.samples, is_hot);
  idle.task = static_cast<u32>(profile.tasks.size());
  profile.tasks.push_back({.pid = 0, .tid = 0, .name = 0});
  profile.samples.push_back(idle);
  profile.events[0].period += idle.period;
  const HottestFunction hot = headline(profile, nullptr, {}).hot.value();
  EXPECT_EQ(hot.period, before.period);
  EXPECT_EQ(hot.called_period, before.called_period) << "its callers have no more than it has";
  EXPECT_EQ(hot.whole, before.whole + idle.period) << "the shown samples";
}

TEST(Headline, FiltersAndRecursion) {
  stacks::StackFilter only_sort;
  only_sort.symbol = [](std::string_view name) { return name == "sort"; };
  EXPECT_EQ(headline(sorting(), nullptr, only_sort).hottest, "only 20 samples: too few for a profile of this part");
  stacks::StackProfile profile = sorting();
  profile.samples[2].count = 50;
  EXPECT_EQ(headline(profile, nullptr, only_sort).hottest, "hottest: sort in work, 15.90 %; called by main");
}

// The table has a row for each command.
TEST(Headline, AFunctionOfSeveralCommandsHasTheShareOfEach) {
  stacks::StackProfile profile = sorting();
  profile.names = {"work", "swapper", "other"};
  profile.tasks[1].name = 2;
  EXPECT_EQ(
      headline(profile, nullptr, {}).hottest,
      "hottest: compare in work, 31.80 % (in 2 commands: work 23.85 %, other 7.95 %); called by sort (75 % of that)");
  const auto recording = nlohmann::json::parse(stack_json(profile, {}))["recording"];
  EXPECT_EQ(recording["headline"]["hottest"]["percent"], 31.8028);
}

TEST(Headline, AFewSamplesAreNoProfile) {
  stacks::StackProfile profile = sorting();
  profile.samples = {{0, 0, 0, 4, 1, 250'000}};
  RecordingAbout about = measured();
  about.elapsed_ns = 700'000;
  about.cpu_ns = 600'000;
  const auto told = [&] { return headline(profile, &about, {}).hottest; };
  EXPECT_EQ(
      told(),
      "only 1 sample: it ran 0.7 ms, too short for a profile; give it more work, or add --freq 20000; `wperf stat "
      "-r 20 -- ./work 20` counts it");
  about.command = "wperf record --freq 20000 -- ./work 20";
  EXPECT_EQ(told(),
            "only 1 sample: it ran 0.7 ms, too short for a profile; give it more work; `wperf stat -r 20 -- ./work 20` "
            "counts it");
  profile.samples[0].count = 29;
  about.elapsed_ns = about.cpu_ns.emplace(2'000'000'000);
  EXPECT_TRUE(told().starts_with("only 29 samples: too few for a profile; sample more often, with --freq 1000"))
      << told();
  about.cpu_ns = 1'000'000;
  EXPECT_EQ(told(), "only 29 samples: it used 1.0 ms of CPU, too little for a profile");
  about.is_of_machine = true;
  EXPECT_EQ(told(), "only 29 samples: too few for a profile; record for longer");
  EXPECT_EQ(headline(profile, nullptr, {}).hottest, "only 29 samples: too few for a profile");
  EXPECT_TRUE(headline(profile, nullptr, {}).has_few_samples);
  profile.samples.push_back({0, 2, 0, 1, 6, 1});
  EXPECT_EQ(headline(profile, nullptr, {}).hottest, "only 29 of 35 samples are of programs: too few for a profile");
  profile.samples[0].count = 30;
  EXPECT_TRUE(told().starts_with("hottest: ")) << told();
}

TEST(Headline, SamplesInsideAnInterpreter) {
  stacks::PythonSamples python{.versions = "3.11", .joined = 254, .outside = 36};
  EXPECT_EQ(python_text(python),
            "Python 3.11: all 254 samples inside the interpreter have Python names; 36 were outside");
  python.changed = 6;
  python.outside = 0;
  EXPECT_EQ(python_text(python), "Python 3.11: 254 of 260 samples inside the interpreter have Python names (97.7 %)");
}

TEST(Headline, SamplesOfNewThreadsAndProcessesAreInTheWhole) {
  const stacks::PythonSamples python{.versions = "3.11", .joined = 90, .new_thread = 6, .early = 4};
  EXPECT_EQ(python_text(python), "Python 3.11: 90 of 100 samples inside the interpreter have Python names (90.0 %)");
}

TEST(Headline, SamplesInsideAnInterpreterAreOfTheWholeRecording) {
  stacks::StackProfile profile = sorting();
  profile.python = {.versions = "3.11", .joined = 254};
  EXPECT_TRUE(headline(profile, nullptr, {}).python.starts_with("Python 3.11: "));
  EXPECT_TRUE(headline(profile, nullptr, {}, false, true).python.starts_with("the whole recording: Python 3.11: "));
  const stacks::StackFilter filter{.tids = {1}};
  EXPECT_TRUE(headline(profile, nullptr, filter).python.starts_with("the whole recording: Python 3.11: "));
}

TEST(Headline, FoldedStacksHaveNoModule) {
  stacks::StackProfile profile = sorting();
  profile.modules[0].name = "-";
  EXPECT_TRUE(headline(profile, nullptr, {}).hottest.starts_with("hottest: compare, 31.80 %"));
}

TEST(Headline, WhatSamplesStandFor) {
  stacks::StackProfile profile = sorting();
  EXPECT_EQ(weight_text(profile, 0), "1.258 s of CPU");
  profile.samples.push_back({0, 2, 0, 1, 1, 1});
  EXPECT_EQ(weight_text(profile, 0), "1.258 s of all cores, including idle ones");
  EXPECT_NE(headline(profile, nullptr, {}).hottest.find("compare"), std::string::npos);
  profile.trace.emplace().is_without_idle = true;
  EXPECT_EQ(weight_text(profile, 0), "1.258 s of CPU") << "interrupts are left of process 0";
  profile.trace.reset();
  profile.events[0].name = "Timer";
  EXPECT_EQ(weight_text(profile, 0), "1.258 s") << "made of a trace: whether idle cores were sampled is not known";
  profile.events[0].name = std::string("Timer") + stacks::kWithoutInterval;
  EXPECT_EQ(weight_text(profile, 0), "each counts 1");
  profile.events[0] = {"cycles", 10, 1234567};
  EXPECT_EQ(weight_text(profile, 0), "1,234,567 counted");
}

}  // namespace
}  // namespace wperf::report
