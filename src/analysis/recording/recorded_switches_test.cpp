// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_switches.h"

#include <gtest/gtest.h>

#include "analysis/waits/thread_times.h"
#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;

// A file of SWITCH records of whole cores.
class RecordedSwitchesTest : public testing::Test {
 protected:
  RecordedSwitchesTest() {
    builder.event(perf_data::test::attributes(perf_data::kSampleTid | perf_data::kSampleTime | perf_data::kSampleCpu));
  }
  void comm(u64 time, u32 thread, std::string_view name) {
    add(RecordType::comm, Fields().u32s({7, thread}).text(name), time, 7, thread, 0);
  }
  void creates(u64 time, u32 thread, u32 created) {
    add(RecordType::fork, Fields().u32s({7, 7, created, thread}).u64s({time}), time, 7, thread, 0);
  }
  void exits(u64 time, u32 core, u32 thread) {
    add(RecordType::exit, Fields().u32s({7, 1, thread, 1}).u64s({time}), time, 7, thread, core);
  }
  void leaves(u64 time, u32 core, u32 thread, u32 next) {
    constexpr u16 kOut = 1 << 13;
    add(RecordType::switch_cpu_wide, Fields().u32s({7, next}), time, 7, thread, core, kOut);
  }
  void execs(u64 time, u32 core, u32 process) {
    constexpr u16 kByExec = 1 << 13;
    add(RecordType::comm, Fields().u32s({process, process}).text("new"), time, process, process, core, kByExec);
  }
  void comes(u64 time, u32 core, u32 thread, u32 before) {
    add(RecordType::switch_cpu_wide, Fields().u32s({7, before}), time, 7, thread, core);
  }
  void lost(u64 time, u32 core) { add(RecordType::lost, Fields().u64s({0, 5}), time, 0, 0, core); }

  RecordedSwitches read(usize without = 0) {
    bytes_ = builder.build();
    bytes_.resize(bytes_.size() - without);
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_switches(file).value();
  }
  perf_data::test::FileBuilder builder;

 private:
  void add(RecordType type, Fields body, u64 time, u32 process, u32 thread, u32 core, u16 misc = 0) {
    builder.add(type, body.u32s({process, thread}).u64s({time}).u32s({core, 0}), misc);
  }
  std::vector<std::byte> bytes_;
};

// The file has the records of one core first, although records of another core are earlier.
TEST_F(RecordedSwitchesTest, ThreadsHaveTheNameThatTheyHadLast) {
  comm(50, 8, "late");
  leaves(60, 0, 8, 9);
  comm(10, 8, "early");
  leaves(20, 1, 9, 8);
  EXPECT_EQ(read().threads.at(8).name, "late");
}

TEST_F(RecordedSwitchesTest, AnUnnamedThreadHasTheNameOfItsCreator) {
  comm(10, 8, "server");
  creates(20, 8, 9);
  creates(25, 9, 10);
  leaves(30, 0, 9, 10);
  creates(40, 8, 11);
  comm(45, 11, "worker");
  creates(50, 11, 12);
  comm(55, 11, "idler");  // the name of 11 when it created 12 is not known
  leaves(60, 0, 10, 11);
  leaves(70, 0, 11, 12);
  const auto threads = read().threads;
  EXPECT_EQ(threads.at(9).name, "server");
  EXPECT_EQ(threads.at(10).name, "server");
  EXPECT_EQ(threads.at(11).name, "idler");
  EXPECT_TRUE(!threads.contains(12) || threads.at(12).name.empty());
}

TEST_F(RecordedSwitchesTest, AThreadEndsThoughItsLastSwitchWasNotRecorded) {
  leaves(10, 0, 0, 8);
  leaves(12, 1, 0, 9);
  exits(30, 0, 8);
  exits(40, 1, 9);
  leaves(45, 1, 9, 0);
  const RecordedSwitches got = read();
  const waits::Accounting accounting = waits::account(got.switches, got.unrecorded, got.begin, got.end);
  ASSERT_EQ(accounting.threads.size(), 2u);
  EXPECT_EQ(accounting.threads[0].thread, 8u);
  EXPECT_EQ(accounting.threads[0].running, 20u);
  EXPECT_TRUE(accounting.threads[0].has_ended);
  EXPECT_EQ(accounting.threads[1].running, 33u);
  EXPECT_EQ(accounting.contradictions, 0u);
}

// Thread 7 is the first thread of process 7, and ends because 8 calls exec; 8 continues as 7.
TEST_F(RecordedSwitchesTest, AnExecInAnotherThreadTakesTheNumberOfTheFirst) {
  leaves(10, 0, 0, 7);
  creates(20, 7, 8);
  leaves(30, 1, 0, 8);
  exits(40, 0, 7);
  leaves(45, 0, ~u32{0}, 0);  // thread 7 has no number any more
  execs(50, 1, 7);
  leaves(60, 1, 7, 0);
  leaves(80, 1, 0, 7);
  exits(90, 1, 7);
  leaves(95, 1, ~u32{0}, 0);
  const RecordedSwitches got = read();
  const waits::Accounting done = waits::account(got.switches, got.unrecorded, got.begin, got.end);
  EXPECT_EQ(done.contradictions, 0u);
  ASSERT_EQ(done.threads.size(), 2u);
  EXPECT_EQ(done.threads[0].thread, 7u);
  EXPECT_EQ(done.threads[0].running, 35u + 10u + 15u);
  EXPECT_EQ(done.threads[0].waiting, 20u);
  EXPECT_EQ(done.threads[0].wall(), 80u) << "not while there was no thread 7";
  EXPECT_EQ(done.threads[1].running, 20u);
  EXPECT_EQ(done.threads[1].wall(), 30u);
  EXPECT_EQ(done.switches, 6u);
}

// The kernel hides some threads. The next thread that comes to the core shows when the hidden thread left.
TEST_F(RecordedSwitchesTest, AThreadThatIsHiddenLeavesAsTheNextOneComes) {
  leaves(10, 0, 8, 9);
  comes(30, 0, 8, 9);
  leaves(40, 0, 8, 0);
  comes(41, 0, 0, 8);
  const RecordedSwitches got = read();
  const waits::Accounting done = waits::account(got.switches, got.unrecorded, got.begin, got.end);
  EXPECT_EQ(done.contradictions, 0u);
  ASSERT_EQ(done.threads.size(), 2u);
  EXPECT_EQ(done.threads[0].running, 10u);
  EXPECT_EQ(done.threads[0].waiting, 20u + 1u);
  EXPECT_EQ(done.threads[1].running, 20u);
  EXPECT_EQ(done.threads[1].unknown, 11u) << "why it left is not recorded";
  EXPECT_EQ(done.cores[0].unknown, 0u);
}

TEST_F(RecordedSwitchesTest, WhatACoreLostIsNotRecorded) {
  leaves(10, 0, 0, 8);
  leaves(20, 1, 0, 9);
  lost(50, 0);
  leaves(70, 0, 8, 0);
  leaves(90, 1, 9, 0);
  const RecordedSwitches got = read();
  ASSERT_EQ(got.unrecorded.size(), 1u);
  EXPECT_EQ(got.unrecorded[0].core, 0);
  EXPECT_EQ(got.unrecorded[0].begin, 10u);
  EXPECT_EQ(got.unrecorded[0].end, 50u);
  const waits::Accounting done = waits::account(got.switches, got.unrecorded, got.begin, got.end);
  EXPECT_EQ(done.cores[0].busy, 20u) << "since the core is recorded again";
  EXPECT_EQ(done.cores[0].unknown, 40u);
  EXPECT_EQ(done.cores[1].busy, 70u);
}

TEST_F(RecordedSwitchesTest, BehindTheEndOfACutFileNothingIsKnownOfACore) {
  leaves(10, 0, 0, 8);
  leaves(20, 1, 0, 9);
  leaves(90, 1, 9, 0);
  leaves(95, 0, 8, 0);
  EXPECT_TRUE(read().unrecorded.empty());
  const RecordedSwitches got = read(8);
  const waits::Accounting done = waits::account(got.switches, got.unrecorded, got.begin, got.end);
  EXPECT_EQ(done.cores[0].unknown, 80u);
  EXPECT_EQ(done.cores[1].unknown, 0u);
}

// Two threads that run at the same time, recorded without their cores.
class ThreadsWithoutCores : public testing::Test {
 protected:
  ThreadsWithoutCores() { builder.event(perf_data::test::attributes(perf_data::kSampleTid | perf_data::kSampleTime)); }
  void add(RecordType type, Fields body, u64 time, u32 thread, u16 misc = 0) {
    builder.add(type, body.u32s({7, thread}).u64s({time}), misc);
  }
  void comes(u64 time, u32 thread) { add(RecordType::context_switch, Fields(), time, thread); }
  void leaves(u64 time, u32 thread) { add(RecordType::context_switch, Fields(), time, thread, 1 << 13); }
  perf_data::test::FileBuilder builder;
};

TEST_F(ThreadsWithoutCores, RunAtTheSameTimeWithoutContradiction) {
  comes(10, 7);
  comes(20, 8);
  leaves(30, 7);
  leaves(45, 8);
  comes(50, 7);
  add(RecordType::exit, Fields().u32s({7, 1, 7, 1}).u64s({70}), 70, 7);
  const std::vector<std::byte> bytes = builder.build();
  const perf_data::PerfFile file = perf_data::PerfFile::open(bytes).value();
  const RecordedSwitches got = read_switches(file).value();
  EXPECT_FALSE(got.of_whole_cores);
  std::vector<u16> cores;
  const waits::Accounting done =
      waits::account(got.switches, got.unrecorded, got.begin, got.end, [&](const waits::Stretch& one) {
        if (one.state == waits::State::running) cores.push_back(one.core);
      });
  EXPECT_EQ(done.contradictions, 0u);
  ASSERT_EQ(done.threads.size(), 2u);
  EXPECT_EQ(done.threads[0].running, 20u + 20u);
  EXPECT_EQ(done.threads[0].waiting, 20u);
  EXPECT_TRUE(done.threads[0].has_ended);
  EXPECT_EQ(done.threads[1].running, 25u);
  EXPECT_EQ(done.threads[1].unknown, 0u);
  EXPECT_EQ(cores, std::vector<u16>(3, stacks::kUnknownCore)) << "no core is made up";
}

}  // namespace
}  // namespace wperf::recording
