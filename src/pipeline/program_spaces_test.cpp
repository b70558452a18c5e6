// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/program_spaces.h"

#include <gtest/gtest.h>

namespace wperf::pipeline {
namespace {

using Kind = raw::Happening::Kind;

class ProgramSpacesTest : public testing::Test {
 protected:
  void mapped(u64 time, u32 process, u64 begin, u64 size, u64 offset, const char* file) {
    raw::Happening& one = happen(Kind::mapped, time, process);
    one.begin = begin;
    one.size = size;
    one.file_offset = offset;
    one.text = file;
  }
  void executed(u64 time, u32 process, const char* name) { happen(Kind::executed, time, process).text = name; }
  void forked(u64 time, u32 process, u32 parent) { happen(Kind::began, time, process).parent = parent; }
  void sampled(u64 time, u32 process, u64 pc, u16 level = 0) {
    capture.samples.push_back({.time_ns = time, .pc = pc, .process = process, .exception_level = level});
  }
  // "file+offset" of each sample, in the order in which they were added.
  std::vector<std::string> places() {
    const ProgramSpaces spaces = move_home(capture);
    names = spaces.names;
    std::vector<std::string> places;
    for (const raw::Sample& sample : capture.samples) {
      std::string place = "nowhere";
      for (const HomeFile& file : spaces.files) {
        if (sample.pc < file.home || sample.pc - file.home >= file.size) continue;
        EXPECT_EQ(place, "nowhere") << "homes overlap";
        place = file.path + "+" + std::to_string(sample.pc - file.home);
      }
      places.push_back(place);
    }
    return places;
  }

  raw::SampleCapture capture;
  std::vector<ProgramName> names;

 private:
  raw::Happening& happen(Kind kind, u64 time, u32 process) {
    raw::Happening& one = capture.happenings.emplace_back();
    one.kind = kind;
    one.time_ns = time;
    one.process = one.thread = process;
    return one;
  }
};

using Places = std::vector<std::string>;

TEST_F(ProgramSpacesTest, TheSameFileIsOnePlaceWhereverItWas) {
  mapped(1, 1, 0x10000, 0x1000, 0x2000, "/lib/c");
  mapped(1, 2, 0x50000, 0x1000, 0x2000, "/lib/c");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x50004);
  EXPECT_EQ(places(), (Places{"/lib/c+8196", "/lib/c+8196"}));
}

TEST_F(ProgramSpacesTest, WhatTwoProcessesHaveAtOneAddressIsToldApart) {
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/a");
  mapped(1, 2, 0x10000, 0x1000, 0, "/bin/b");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x10008);
  EXPECT_EQ(places(), (Places{"/bin/a+4", "/bin/b+8"}));
}

TEST_F(ProgramSpacesTest, AddressesMeanWhatTheyMeantThen) {
  sampled(30, 1, 0x10004);  // rings of several cores come one after the other, not by time
  sampled(10, 1, 0x10004);
  mapped(20, 1, 0x10000, 0x1000, 0, "/lib/second");
  mapped(5, 1, 0x10000, 0x1000, 0, "/lib/first");
  EXPECT_EQ(places(), (Places{"/lib/second+4", "/lib/first+4"}));
}

TEST_F(ProgramSpacesTest, AMappingCutsWhatItCovers) {
  mapped(1, 1, 0x10000, 0x3000, 0, "/lib/long");
  mapped(2, 1, 0x11000, 0x1000, 0, "/lib/middle");
  for (const u64 pc : {0x10000, 0x11000, 0x12000}) sampled(5, 1, pc);
  EXPECT_EQ(places(), (Places{"/lib/long+0", "/lib/middle+0", "/lib/long+8192"}));
}

TEST_F(ProgramSpacesTest, ChildrenBeginWithTheirParentsMemoryAndGoTheirWay) {
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/parent");
  executed(0, 1, "parent");
  forked(2, 7, 1);
  sampled(3, 7, 0x10004);
  executed(4, 7, "child");
  mapped(5, 7, 0x10000, 0x1000, 0, "/bin/child");
  sampled(6, 7, 0x10004);
  sampled(6, 1, 0x10004);
  EXPECT_EQ(places(), (Places{"/bin/parent+4", "/bin/child+4", "/bin/parent+4"}));
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].name, "parent");
  EXPECT_EQ(names[1].name, "child");
}

TEST_F(ProgramSpacesTest, AnExecTakesEverythingAway) {
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/old");
  executed(2, 1, "new");
  sampled(3, 1, 0x10004);
  EXPECT_EQ(places(), Places{"nowhere"});
}

TEST_F(ProgramSpacesTest, KernelAddressesStay) {
  mapped(1, 1, 0x10000, 0x1000, 0, "/bin/a");
  sampled(5, 1, 0x10004, 1);
  static_cast<void>(move_home(capture));
  EXPECT_EQ(capture.samples[0].pc, 0x10004u);
}

TEST_F(ProgramSpacesTest, MemoryWithoutAFileBelongsToItsProcess) {
  mapped(1, 1, 0x10000, 0x1000, 0, "//anon");
  mapped(1, 2, 0x10000, 0x1000, 0, "//anon");
  sampled(5, 1, 0x10004);
  sampled(5, 2, 0x10004);
  static_cast<void>(move_home(capture));
  EXPECT_NE(capture.samples[0].pc, capture.samples[1].pc);
}

TEST_F(ProgramSpacesTest, MappingsThatCannotBeAreLeftOut) {
  mapped(1, 1, ~u64{0} - 10, 0x1000, 0, "/over/the/end");
  mapped(1, 1, 0x10000, 0, 0, "/empty");
  mapped(1, 1, 0x10000, 0x1000, ~u64{0} - 10, "/offset");
  mapped(1, 1, 0x10000, 0x1000, u64{1} << 32, "/far");
  sampled(5, 1, 0x10004);
  sampled(5, 1, ~u64{0} - 5);
  EXPECT_TRUE(move_home(capture).files.empty());
  EXPECT_EQ(capture.samples[0].pc, 0x10004u | kNowhere);
}

}  // namespace
}  // namespace wperf::pipeline
