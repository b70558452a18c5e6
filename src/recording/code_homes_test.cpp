// SPDX-License-Identifier: BSD-3-Clause
#include "recording/code_homes.h"

#include <gtest/gtest.h>

#include "import/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;

constexpr u16 kExec = 1u << 13;

// Records of the kernel with the time they were made at, and samples beside them.
class CodeHomesTest : public testing::Test {
 protected:
  CodeHomesTest() {
    builder_.event(perf_data::test::attributes(perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime));
  }
  void mapped(u64 time, u32 process, u64 begin, u64 size, u64 offset, const char* file) {
    add(RecordType::mmap, Fields().u32s({process, process}).u64s({begin, size, offset}).text(file), time, process);
  }
  void executed(u64 time, u32 process, const char* name) {
    add(RecordType::comm, Fields().u32s({process, process}).text(name), time, process, kExec);
  }
  void forked(u64 time, u32 process, u32 parent) {
    add(RecordType::fork, Fields().u32s({process, parent, process, parent}).u64s({time}), time, process);
  }
  void sampled(u64 time, u32 process, u64 pc, u16 level = 0) {
    samples.push_back({.time_ns = time, .pc = pc, .process = process, .exception_level = level});
  }
  std::vector<CodeHome> moved() {
    bytes_ = builder_.build();
    history = perf_data::TaskHistory::collect(perf_data::PerfFile::open(bytes_).value());
    RecordedJit none;
    return move_home(history, none, samples);
  }
  // "file+offset" of each sample, in the order in which they were added.
  std::vector<std::string> places() {
    const std::vector<CodeHome> homes = moved();
    std::vector<std::string> places;
    for (const raw::Sample& sample : samples) {
      std::string place = "nowhere";
      for (const CodeHome& one : homes) {
        if (sample.pc < one.home || sample.pc - one.home >= one.size) continue;
        EXPECT_EQ(place, "nowhere") << "homes overlap";
        place = std::string(history.codes()[one.code].path) + "+" + std::to_string(one.first + (sample.pc - one.home));
      }
      places.push_back(place);
    }
    return places;
  }

  std::vector<raw::Sample> samples;
  perf_data::TaskHistory history;

 private:
  void add(RecordType type, Fields body, u64 time, u32 process, u16 misc = 0) {
    builder_.add(type, body.u32s({process, process}).u64s({time}), misc);
  }
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

using Places = std::vector<std::string>;

TEST_F(CodeHomesTest, TheSameFileIsOnePlaceWhereverItWas) {
  mapped(1, 1, 0x10000, 0x1000, 0x2000, "/lib/c");
  mapped(1, 2, 0x50000, 0x1000, 0x2000, "/lib/c");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x50004);
  EXPECT_EQ(places(), (Places{"/lib/c+8196", "/lib/c+8196"}));
  EXPECT_EQ(samples[0].pc, 0x10004u);  // where the first one had it
}

TEST_F(CodeHomesTest, WhatTwoProcessesHaveAtOneAddressIsToldApart) {
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/a");
  mapped(1, 2, 0x10000, 0x1000, 0, "/bin/b");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x10008);
  EXPECT_EQ(places(), (Places{"/bin/a+4", "/bin/b+8"}));
}

TEST_F(CodeHomesTest, AddressesMeanWhatTheyMeantThen) {
  sampled(30, 1, 0x10004);  // rings of several cores come one after the other, not by time
  sampled(10, 1, 0x10004);
  mapped(20, 1, 0x10000, 0x1000, 0, "/lib/second");
  mapped(5, 1, 0x10000, 0x1000, 0, "/lib/first");
  EXPECT_EQ(places(), (Places{"/lib/second+4", "/lib/first+4"}));
}

TEST_F(CodeHomesTest, AMappingCutsWhatItCovers) {
  mapped(1, 1, 0x10000, 0x3000, 0, "/lib/long");
  mapped(2, 1, 0x11000, 0x1000, 0, "/lib/middle");
  for (const u64 pc : {0x10000, 0x11000, 0x12000}) sampled(5, 1, pc);
  EXPECT_EQ(places(), (Places{"/lib/long+0", "/lib/middle+0", "/lib/long+8192"}));
}

TEST_F(CodeHomesTest, ChildrenBeginWithTheirParentsMemoryAndGoTheirWay) {
  executed(0, 1, "parent");
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/parent");
  forked(2, 7, 1);
  sampled(3, 7, 0x10004);
  executed(4, 7, "child");
  mapped(5, 7, 0x10000, 0x1000, 0, "/bin/child");
  sampled(6, 7, 0x10004);
  sampled(6, 1, 0x10004);
  EXPECT_EQ(places(), (Places{"/bin/parent+4", "/bin/child+4", "/bin/parent+4"}));
}

TEST_F(CodeHomesTest, KernelAddressesStay) {
  mapped(1, 1, 0x10000, 0x1000, 0x500, "/bin/a");
  sampled(5, 1, 0x10004, 1);
  static_cast<void>(moved());
  EXPECT_EQ(samples[0].pc, 0x10004u);
}

TEST_F(CodeHomesTest, MemoryWithoutAFileBelongsToItsProcess) {
  mapped(1, 1, 0x10000, 0x1000, 0, "//anon");
  mapped(1, 2, 0x10000, 0x1000, 0, "//anon");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x10004);
  EXPECT_EQ(places(), (Places{"//anon+65540", "//anon+65540"}));  // the address itself: maps name those
  EXPECT_NE(samples[0].pc, samples[1].pc);
}

TEST_F(CodeHomesTest, MappingsThatCannotBeLeadNowhere) {
  mapped(1, 1, ~u64{0} - 10, 0x1000, 0, "/over/the/end");
  mapped(1, 1, 0x10000, 0, 0, "/empty");
  mapped(1, 1, 0x10000, 0x1000, ~u64{0} - 10, "/offset");
  mapped(1, 1, 0x10000, 0x1000, u64{1} << 32, "/far");
  sampled(5, 1, 0x10004);
  sampled(5, 1, ~u64{0} - 5);
  EXPECT_EQ(places(), (Places{"nowhere", "nowhere"}));
  EXPECT_EQ(samples[0].pc, 0x10004u | kNowhere);
}

}  // namespace
}  // namespace wperf::recording
