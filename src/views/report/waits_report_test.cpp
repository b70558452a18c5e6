// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/waits_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ground/text/unicode.h"
#include "views/report/waits_verdict.h"

namespace wperf::report {
namespace {

waits::WaitReport example() {
  waits::WaitReport report;
  report.duration = 250'000'000;
  report.switches = 1234;
  report.wakeups = 567;
  report.recorder_time = 5'000'000;
  report.cores_time = 250'000'000;
  waits::ThreadRow thread{.name = "main", .process = 7, .thread = 8, .times = {.thread = 8}};
  thread.times.running = 1'500'000;
  thread.times.ready = 20'000;
  thread.times.waiting = 100'000'000;
  thread.times.switches = 3;
  thread.times.longest_wait = 90'000'000;
  thread.by_class[static_cast<usize>(waits::WaitClass::lock)] = 100'000'000;
  report.threads.push_back(thread);
  report.functions.push_back({.function = "pthread_mutex_lock",
                              .module = "libc.so.6",
                              .wait = waits::WaitClass::lock,
                              .count = 2,
                              .total = 100'000'000,
                              .median = 10'000'000,
                              .most_of_99_percent = 90'000'000,
                              .longest = 90'000'000,
                              .waker = "saver (9)"});
  report.wakers.push_back({.waiter = "main (8)",
                           .waker = "saver (9)",
                           .function = "pthread_mutex_lock",
                           .waker_function = "pthread_mutex_unlock",
                           .count = 2,
                           .waited = 100'000'000,
                           .latency = 8'000});
  report.cores.push_back({.core = 1, .times = {.busy = 200'000'000, .idle = 50'000'000, .switches = 500}});
  return report;
}

TEST(WaitsReport, TextHasTheTablesThatSaySomething) {
  const std::string text = waits_text(example(), {.rows = 50, .width = 0});
  EXPECT_TRUE(
      text.starts_with("1 thread: running 1.5 %, ready to run 0.0 %, waiting 98.5 %\n"
                       "most waiting: 100 ms in 2 waits for a lock in pthread_mutex_lock, 100.0 % of the "
                       "waiting; ended mostly by saver (9)\n"))
      << text;
  EXPECT_TRUE(
      text.ends_with("\nrecorded: 1,234 switches and 567 wake-ups in 250 ms (7.20 K/s); lost: nothing; "
                     "the recorder ran 5.0 ms, 2.0 % of the cores\n"))
      << text;
  EXPECT_NE(text.find("  lock"), std::string::npos);
  EXPECT_EQ(text.find("paging"), std::string::npos) << "nobody waited for that";
  EXPECT_NE(text.find("pthread_mutex_lock"), std::string::npos);
  EXPECT_NE(text.find("50.0 ms"), std::string::npos) << "the mean";
  EXPECT_EQ(text.find("while a thread was ready"), std::string::npos) << "an empty table";
  EXPECT_NE(text.find("2.00 K"), std::string::npos) << "switches a second of the core\n" << text;
}

TEST(WaitsReport, TheDocumentBeginsWithItsVersion) {
  EXPECT_TRUE(waits_json(example()).starts_with(R"({"version":1,"waits":{)"));
}

TEST(WaitsReport, WhatEachSwitchCostIsTold) {
  waits::WaitReport report = example();
  report.switch_cost = 1300;
  EXPECT_NE(waits_text(report, {}).find("of the cores; recording slowed each switch by 1.3 us\n"), std::string::npos);
  EXPECT_NE(waits_json(report).find("\"switch_cost_ns\":1300"), std::string::npos) << waits_json(report);
  report.recorder_time.reset();
  EXPECT_NE(waits_text(report, {}).find("nothing; recording slowed each switch by 1.3 us\n"), std::string::npos);
}

TEST(WaitsReport, UnknownTimeIsAColumnWhereThereIsAny) {
  waits::WaitReport report = example();
  EXPECT_EQ(waits_text(report, {}).find("unknown"), std::string::npos);
  report.threads[0].times.unknown = 34'500'000;
  report.cores[0].times.unknown = 12'300'000;
  const std::string text = waits_text(report, {});
  EXPECT_NE(text.find("wall = running + ready + waiting + unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("34.5 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("12.3 ms"), std::string::npos) << text;
  const auto waits = nlohmann::json::parse(waits_json(report))["waits"];
  EXPECT_EQ(waits["threads"][0]["unknown_ns"], 34'500'000);
  EXPECT_EQ(waits["threads"][0]["wall_ns"], 101'520'000 + 34'500'000);
  EXPECT_EQ(waits["cores"][0]["unknown_ns"], 12'300'000);
}

TEST(WaitsReport, ALockOfSeveralPlacesIsSummedAndThenTold) {
  waits::WaitReport report = example();
  const waits::LockPlace save{.function = "pthread_mutex_lock",
                              .module = "libc.so.6",
                              .caller = "save",
                              .caller_module = "shop",
                              .count = 2,
                              .total = 3'000'000,
                              .longest = 2'000'000,
                              .waker = "b (9)"};
  waits::LockPlace load = save;
  load.caller = "load";
  load.total = 1'000'000;
  report.locks.push_back({.name = "orders",
                          .is_known = true,
                          .process = 7,
                          .process_name = "main",
                          .address = 0x55aa12,
                          .symbol = "orders",
                          .module = "shop",
                          .count = 4,
                          .total = 4'000'000,
                          .longest = 2'000'000,
                          .places = {save, load}});
  report.locks.push_back({.name = "not recorded", .count = 1, .total = 500'000, .longest = 500'000, .places = {save}});
  const std::string text = waits_text(report, {});
  EXPECT_NE(text.find("4.0 ms      4  1.0 ms  2.0 ms  orders        2 places:  -                   -"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1.0 ms      2  0.5 ms  2.0 ms                load       pthread_mutex_lock  b (9)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0.5 ms      1  0.5 ms  0.5 ms  not recorded  save "), std::string::npos) << text;
  EXPECT_EQ(text.find("main (7)"), std::string::npos) << "all are of one process";
  const auto waits = nlohmann::json::parse(waits_json(report))["waits"];
  EXPECT_EQ(waits["locks"][0]["address"], "0x55aa12");
  EXPECT_EQ(waits["locks"][0]["places"][1]["caller"], "load");
  EXPECT_FALSE(waits["locks"][1].contains("address"));
  report.locks.push_back(report.locks.front());
  report.locks.back().process = 8;
  EXPECT_NE(waits_text(report, {}).find("orders        main (8)  2 places:"), std::string::npos);
}

TEST(WaitsReport, LocksThatWereNotRecordedAreTold) {
  waits::WaitReport report = example();
  EXPECT_EQ(waits_text(report, {}).find("which locks"), std::string::npos);
  report.locks_are_missing = true;
  EXPECT_NE(waits_text(report, {}).find("note: the recording does not show which locks threads waited for"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(waits_json(report))["waits"]["has_locks"], false);
}

TEST(WaitsReport, WhoRanMeanwhileHasTenRows) {
  waits::WaitReport report = example();
  for (u64 i = 0; i < 12; ++i) report.starved.push_back({"a (1)", "b (2)", 1000, 1});
  EXPECT_NE(waits_text(report, {.rows = 50}).find("... and 2 more"), std::string::npos);
}

TEST(WaitsReport, PreemptionIsShownOnDemand) {
  waits::WaitReport report = example();
  report.threads[0].times.ready = 9'000'000;
  report.threads[0].times.preempted = 7'000'000;
  EXPECT_EQ(waits_text(report, {}).find("preempted"), std::string::npos);
  const std::string text = waits_text(report, {.verbose = true});
  EXPECT_NE(text.find("preempted  waiting"), std::string::npos) << text;
  EXPECT_NE(text.find("9.0 ms     7.0 ms"), std::string::npos) << text;
}

TEST(WaitsReport, WhatIsMissingComesFirst) {
  waits::WaitReport report = example();
  report.lost_records = 12;
  report.contradictions = 5;
  report.shown_contradictions = 3;
  report.contradicted = 7'000'000;
  report.has_wakeups = report.has_stacks = false;
  report.recorder_time.reset();
  const std::string text = waits_text(report, {.rows = 50, .width = 0});
  const usize tables = text.find("threads:");
  for (const char* said : {"lost: 12 records; cost: not known",
                           "Some records are missing around 3 thread switches; up to 7.0 ms cannot be attributed.\n",
                           "wake-ups were not recorded", "stacks of switches were not recorded"}) {
    EXPECT_LT(text.find(said), tables) << said;
  }
}

TEST(WaitsReport, StacksWithoutPythonAreCounted) {
  waits::WaitReport report = example();
  EXPECT_EQ(waits_text(report, {}).find("Python"), std::string::npos);
  EXPECT_EQ(waits_json(report).find("python"), std::string::npos);
  report.python = {.versions = "3.13", .joined = 80, .changed = 12, .new_thread = 8};
  const std::string text = waits_text(report, {});
  EXPECT_NE(
      text.find("Python 3.13: 80 of 100 samples inside the interpreter have Python names (80.0 %)\n"
                "note: Python 3.13: 20 of 100 samples (20.0 %) show the interpreter's own functions: 12 have frames "
                "that changed before they were read, 8 are of threads that had just started\n"),
      std::string::npos)
      << text;
  const auto document = nlohmann::json::parse(waits_json(report));
  EXPECT_EQ(document["waits"]["headline"]["python"]["changed"], 12);
  EXPECT_EQ(document["waits"]["headline"]["python"]["new_thread"], 8);
}

TEST(WaitsReport, MissingRecordsOfOtherThreadsAreToldOnDemand) {
  waits::WaitReport report = example();
  report.contradictions = 1;
  EXPECT_EQ(waits_text(report, {}).find("missing"), std::string::npos);
  EXPECT_NE(waits_text(report, {.verbose = true})
                .find("Some records are missing around 1 thread switch of threads that are not shown.\n"),
            std::string::npos);
  report.shown_contradictions = 1;
  EXPECT_NE(waits_text(report, {}).find("Some records are missing around 1 thread switch.\n"), std::string::npos);
}

// A sum must not be called the longest wait, and joins must not hide the cause.
TEST(WaitsReport, TheVerdictNamesTheLockAndNotTheJoin) {
  waits::WaitReport report = example();
  waits::FunctionRow join = report.functions.front();
  join.function = "pthread_join";
  join.caller = "main";
  join.wait = waits::WaitClass::thread_end;
  join.total = 400'000'000;
  join.count = 1;
  report.threads[0].times.waiting += join.total;
  report.functions.insert(report.functions.begin(), join);
  waits::FunctionRow& lock = report.functions.back();
  lock.caller = "worker";
  const waits::LockPlace place{.function = lock.function,
                               .module = lock.module,
                               .caller = lock.caller,
                               .caller_module = lock.caller_module,
                               .count = 2,
                               .total = 100'000'000,
                               .waker = "not ended"};
  report.locks.push_back({.name = "m", .is_known = true, .count = 2, .total = 100'000'000, .places = {place}});
  const auto lines = wait_verdict(report);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1],
            "most waiting: 100 ms in 2 waits for the lock m in worker, 20.0 % of the waiting; mostly not ended");
  report.functions.pop_back();
  EXPECT_EQ(wait_verdict(report)[1],
            "most waiting: 400 ms in 1 wait for a thread's end in main, 80.0 % of the waiting; ended by saver (9)");
}

TEST(WaitsReport, PlacesOfThreadsThatWereNotSwitched) {
  waits::WaitReport report = example();
  EXPECT_FALSE(nlohmann::json::parse(waits_json(report))["waits"].contains("places_now"));
  report.places_now.push_back({.name = "a",
                               .thread = 9,
                               .state = "sleeping",
                               .function = "futex_do_wait",
                               .wait = waits::WaitClass::lock,
                               .word = 0x55aa});
  report.places_now.push_back({.name = "b", .thread = 10, .state = "stopped", .function = {}});
  const std::string text = waits_text(report, {});
  EXPECT_NE(text.find("a         9  sleeping  lock         futex_do_wait  0x55aa\n"), std::string::npos) << text;
  EXPECT_NE(text.find("note: no thread was switched"), std::string::npos);
  const auto rows = nlohmann::json::parse(waits_json(report))["waits"]["places_now"];
  EXPECT_EQ(rows[0]["word"], "0x55aa");
  EXPECT_EQ(rows[1]["class"], "unexplained");
  EXPECT_FALSE(rows[1].contains("word"));
}

TEST(WaitsReport, FitsATerminal) {
  std::istringstream lines(waits_text(example(), {.rows = 50, .width = 80}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text::width_of(line), 80u) << line;
}

TEST(WaitsReport, RowsThatAreLeftOutAreCounted) {
  waits::WaitReport report = example();
  for (u32 i = 0; i < 5; ++i) report.threads.push_back(report.threads.front());
  EXPECT_NE(waits_text(report, {.rows = 2, .width = 0}).find("... and 4 more"), std::string::npos);
}

TEST(WaitsReport, JsonHasAllOfIt) {
  waits::WaitReport report = example();
  report.from = 10'000'000;
  report.to = 50'000'000;
  EXPECT_NE(waits_text(report, {}).find("only from 0.01 s to 0.05 s of the recording"), std::string::npos);
  const auto part = nlohmann::json::parse(waits_json(report, nullptr, nullptr));
  EXPECT_EQ(part["waits"]["to_ns"], 50'000'000);
  report.timeline_of = "main (8)";
  report.timeline.push_back({.state = waits::State::waiting,
                             .from = 5,
                             .length = 6,
                             .function = "futex_wait",
                             .wait = waits::WaitClass::lock,
                             .waker = "saver (9)",
                             .waker_function = "unlock"});
  const auto waits = nlohmann::json::parse(waits_json(report))["waits"];
  EXPECT_EQ(waits["switches"], 1234);
  EXPECT_EQ(waits["threads"][0]["wall_ns"], 101'520'000);
  EXPECT_EQ(waits["threads"][0]["waiting_for_ns"]["lock"], 100'000'000);
  EXPECT_EQ(waits["functions"][0]["mean_ns"], 50'000'000);
  EXPECT_EQ(waits["wakers"][0]["wake_to_run_ns"], 8'000);
  EXPECT_EQ(waits["cores"][0]["idle_ns"], 50'000'000);
  EXPECT_EQ(waits["timeline"][0]["class"], "lock");
  EXPECT_EQ(waits["timeline"][0]["state"], "waiting");
}

TEST(WaitsReport, ACriticalPathIsSummedAndThenTold) {
  waits::WaitReport report = example();
  report.path.emplace();
  report.path->of = "main (8)";
  report.path->from = 1'000'000;
  report.path->length = 100'000'000;
  report.path->steps.push_back({.state = waits::PathState::timer,
                                .from = 1'000'000,
                                .length = 99'000'000,
                                .thread = "saver (9)",
                                .function = "nanosleep",
                                .ended_by = "an interrupt"});
  report.path->sums.push_back({.state = waits::PathState::timer,
                               .thread = "saver (9)",
                               .function = "nanosleep",
                               .count = 1,
                               .total = 99'000'000});
  report.path->left_out = {.min = 2'000'000, .count = 3, .time = 1'000'000};
  const std::string text = waits_text(report, {.rows = 50, .width = 0});
  EXPECT_NE(text.find("critical path of main (8), from 0.001000 to 0.101000: what its 100 ms are made of"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("99.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("not listed: 3 that are shorter than 2.0 ms, 1.0 ms together"), std::string::npos) << text;
  EXPECT_EQ(text.find("threads:"), std::string::npos) << "the path is the answer";
  const auto path = nlohmann::json::parse(waits_json(report))["waits"]["critical_path"];
  EXPECT_EQ(path["length_ns"], 100'000'000);
  EXPECT_EQ(path["sums"][0]["total_ns"], 99'000'000);
  EXPECT_EQ(path["steps"][0]["state"], "timer");
  EXPECT_EQ(path["not_listed"]["count"], 3);
}

}  // namespace
}  // namespace wperf::report
