// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wperf::report {
namespace {

stacks::StackProfile two_samples() {
  stacks::StackProfile profile;
  profile.events = {{"cycles", 2, 20}};
  profile.names = {"two\nlines"};
  profile.tasks = {{7, 8, 0}};
  profile.modules = {{"prog", "/bin/prog", ""}};
  profile.functions = {{"main", 0, true, false}, {"[unknown]", 0, false, false}, {"part (inlined)", 0, true, false}};
  profile.places = {{0}, {1}, {2}};
  profile.samples = {{.count = 1, .period = 10}, {.count = 1, .period = 10}};
  return profile;
}

// Address 0 is main+0x10, address 1 has no name, address 2 is in a function inlined into main.
stacks::LineStacks two_stacks() {
  return {.frames = {{0x4010, 0x10, 0},
                     {~u64{0} - 9999, stacks::kNoOffset, 1},
                     {0x4020, stacks::kNoOffset, 2},
                     {0x4020, 0x20, 0}},
          .frame_begins = {0, 1, 2, 4},
          .addresses = {1, 0, 2},
          .stack_begins = {0, 2, 3}};
}

std::string lines_of(const stacks::StackProfile& profile, LineFormat format, usize times = 1) {
  const stacks::LineStacks stacks = two_stacks();
  const SampleLines lines(profile, stacks, format);
  LineText text;
  for (usize i = 0; i < times; ++i) {
    lines.append(0, {.time_ns = 5'000'000'001, .period = 250'000, .core = 2, .has_time = true, .has_core = true}, text);
    lines.append(1, {.period = 1}, text);
  }
  return std::string(text.text());
}

TEST(SampleLines, Text) {
  EXPECT_EQ(lines_of(two_samples(), LineFormat::text),
            "two?lines 7/8 [2] 5.000000001: 250000 cycles:\n"
            "ffffffffffffd8f0 [unknown] (prog)\n"
            "            4010 main+0x10 (prog)\n"
            "two?lines 7/8: 1 cycles:\n"
            "            4020 part (inlined) (prog)\n"
            "            4020 main+0x20 (prog)\n");
}

TEST(SampleLines, Json) {
  EXPECT_EQ(lines_of(two_samples(), LineFormat::json),
            R"({"comm":"two\nlines","pid":7,"tid":8,"core":2,"time_ns":5000000001,"period":250000,"event":"cycles",)"
            R"("frames":[{"address":"0xffffffffffffd8f0","module":"prog"},)"
            R"({"address":"0x4010","symbol":"main","offset":16,"module":"prog"}]})"
            "\n"
            R"({"comm":"two\nlines","pid":7,"tid":8,"period":1,"event":"cycles",)"
            R"~("frames":[{"address":"0x4020","symbol":"part (inlined)","module":"prog"},)~"
            R"({"address":"0x4020","symbol":"main","offset":32,"module":"prog"}]})"
            "\n");
}

// Names of any length, and more lines than fit into the buffer.
TEST(SampleLines, NothingIsLostWhereTheBufferEnds) {
  for (const usize length : {1u, 30u, 64u, 100u, 128u, 129u, 5000u, 2'000'000u}) {
    stacks::StackProfile profile = two_samples();
    profile.functions[0].name = std::string(length, 'x');
    const std::string one = lines_of(profile, LineFormat::json);
    const usize times = length > 100'000 ? 2 : 3000;
    const std::string all = lines_of(profile, LineFormat::json, times);
    ASSERT_EQ(all.size(), one.size() * times) << length;
    for (usize i = 0; i < times; ++i) ASSERT_EQ(all.compare(i * one.size(), one.size(), one), 0) << length;
  }
}

}  // namespace
}  // namespace wperf::report
