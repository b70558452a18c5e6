// SPDX-License-Identifier: BSD-3-Clause
#include "report/waits_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/text_width.h"

namespace wperf::report {
namespace {

waits::WaitReport example() {
  waits::WaitReport report;
  report.duration = 250'000'000;
  report.switches = 1234;
  report.wakeups = 567;
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
  report.wakers.push_back(
      {.waiter = "main (8)", .waker = "saver (9)", .count = 2, .waited = 100'000'000, .latency = 8'000});
  report.cores.push_back({.core = 1, .times = {.busy = 200'000'000, .idle = 50'000'000, .switches = 500}});
  return report;
}

TEST(WaitsReport, TextHasTheTablesThatSaySomething) {
  const std::string text = waits_text(example(), 50, 0);
  EXPECT_EQ(text.find("recorded: 1,234 switches and 567 wake-ups in 250 ms (7.20 K/s); lost: nothing\n"), 0u) << text;
  EXPECT_NE(text.find("  lock"), std::string::npos);
  EXPECT_EQ(text.find("paging"), std::string::npos) << "nobody waited for that";
  EXPECT_NE(text.find("pthread_mutex_lock"), std::string::npos);
  EXPECT_NE(text.find("50.0 ms"), std::string::npos) << "the mean";
  EXPECT_EQ(text.find("while others were ready"), std::string::npos) << "an empty table";
  EXPECT_NE(text.find("2.00 K"), std::string::npos) << "switches a second of the core\n" << text;
}

TEST(WaitsReport, WhatIsMissingComesFirst) {
  waits::WaitReport report = example();
  report.lost_records = 12;
  report.contradictions = 3;
  report.has_wakeups = report.has_stacks = false;
  const std::string text = waits_text(report, 50, 0);
  const usize tables = text.find("threads:");
  for (const char* said : {"lost: 12 records", "3 events contradict", "wake-ups were not recorded",
                           "stacks of switches were not recorded"}) {
    EXPECT_LT(text.find(said), tables) << said;
  }
}

TEST(WaitsReport, FitsATerminal) {
  std::istringstream lines(waits_text(example(), 50, 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 80u) << line;
}

TEST(WaitsReport, RowsThatAreLeftOutAreCounted) {
  waits::WaitReport report = example();
  for (u32 i = 0; i < 5; ++i) report.threads.push_back(report.threads.front());
  EXPECT_NE(waits_text(report, 2, 0).find("... and 4 more"), std::string::npos);
}

TEST(WaitsReport, JsonHasAllOfIt) {
  waits::WaitReport report = example();
  report.timeline_of = "main (8)";
  report.timeline.push_back({.state = waits::State::waiting,
                             .from = 5,
                             .length = 6,
                             .function = "futex_wait",
                             .wait = waits::WaitClass::lock,
                             .waker = "saver (9)"});
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

}  // namespace
}  // namespace wperf::report
