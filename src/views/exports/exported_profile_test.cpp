// SPDX-License-Identifier: BSD-3-Clause
#include "views/exports/exported_profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ground/packing/deflate.h"
#include "ground/text/protobuf.h"
#include "model/stacks/stack_rows.h"

namespace wperf::exports {
namespace {

using stacks::kNothing;

// main calls outer, and inner was inlined into outer twice. Only one of the two threads has samples.
stacks::StackProfile small_profile() {
  stacks::StackProfile profile;
  profile.events = {{.name = "cycles", .samples = 7, .period = 70}};
  profile.names = {"a", "b"};
  profile.tasks = {{1, 1, 0}, {1, 2, 1}};
  profile.modules = {{.name = "app", .path = "/app", .reason = {}}};
  profile.functions = {{.name = "main", .is_known = true},
                       {.name = "outer", .is_known = true},
                       {.name = "inner (inlined)", .is_known = true, .is_inlined = true}};
  profile.lines = {"a:b.c:12"};
  profile.places = {{0, kNothing}, {1, kNothing}, {2, 0}};
  profile.nodes = {{}, {0, 0}, {1, 1}, {2, 2}, {3, 2}};
  profile.samples = {{.task = 0, .node = 4, .count = 3, .period = 31},
                     {.task = 1, .node = 1, .count = 4, .period = 39}};
  return profile;
}

TEST(CleanText, KeepsWhatIsUtf8) {
  EXPECT_EQ(clean_text("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5"), "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5");
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(clean_text("x\xffy"), "x" + bad + "y");
  EXPECT_EQ(clean_text("\xc3"), bad);                      // cut
  EXPECT_EQ(clean_text("\xc0\xaf"), bad + bad);            // an overlong form
  EXPECT_EQ(clean_text("\xed\xa0\x80"), bad + bad + bad);  // a lone surrogate
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "a" + bad + "b");
}

TEST(Locations, InlinedFramesStandWithTheirFunction) {
  const stacks::StackProfile profile = small_profile();
  const Locations locations(profile);
  std::vector<u32> stack;
  locations.for_each_of(4, [&](u32 location) { stack.push_back(location); });
  ASSERT_EQ(stack.size(), 2u);
  const auto& all = locations.all();
  EXPECT_EQ(all[stack[0]].place, 2u);
  EXPECT_EQ(all[all[stack[0]].outer].place, 2u);
  EXPECT_EQ(all[all[all[stack[0]].outer].outer].place, 1u);
  EXPECT_EQ(all[stack[1]].place, 0u);
  EXPECT_EQ(all[stack[1]].outer, kNothing);
}

TEST(Names, FilesAndLinesApart) {
  const stacks::StackProfile profile = small_profile();
  const Names names(profile);
  EXPECT_EQ(names.line(2).file, "a:b.c");
  EXPECT_EQ(names.line(2).line, 12u);
  EXPECT_EQ(names.line(0).line, 0u);
  EXPECT_EQ(names.function(2), "inner");
  EXPECT_EQ(names.marked_function(2), "inner (inlined)");
}

TEST(Moments, SharesAddUpToTheirRow) {
  const stacks::StackProfile profile = small_profile();
  stacks::Moments moments;
  moments.samples.rows = {0, 0, 0};
  moments.samples.times_ns = {5, 6, 7};
  std::vector<u64> periods;
  u64 count_of_other = 0;
  for_each_moment({profile, moments, {}}, [&](u32 moment, u32 row, u64 count, u64 period) {
    if (row == 1) {
      EXPECT_EQ(moment, kNothing);
      count_of_other = count;
    } else {
      EXPECT_EQ(count, 1u);
      periods.push_back(period);
    }
  });
  EXPECT_EQ(periods, (std::vector<u64>{11, 10, 10}));
  EXPECT_EQ(count_of_other, 4u);
}

TEST(KeptRows, MomentsAndStatesFollow) {
  stacks::StackProfile profile = small_profile();
  stacks::Moments moments;
  moments.samples.rows = {1, 0, 1};
  moments.samples.times_ns = {5, 6, 7};
  moments.states = {{.begin_ns = 1, .end_ns = 2, .task = 0}, {.begin_ns = 1, .end_ns = 2, .task = 1}};
  stacks::StackFilter filter;
  filter.tids = {2};
  stacks::keep_chosen(filter, profile, moments);
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].count, 4u);
  EXPECT_EQ(profile.events[0].samples, 4u);
  EXPECT_EQ(profile.events[0].period, 39u);
  ASSERT_EQ(moments.samples.size(), 2u);
  EXPECT_EQ(moments.samples.rows[1], 0u);
  EXPECT_EQ(moments.samples.times_ns[1], 7u);
  ASSERT_EQ(moments.states.size(), 1u);
  EXPECT_EQ(moments.states[0].task, 1u);
}

TEST(Message, WritesWhatProtobufSays) {
  text::Message inner;
  inner.number(1, 150);
  EXPECT_EQ(inner.bytes(), "\x08\x96\x01");
  text::Message outer;
  outer.message(3, inner);
  outer.number(4, 0);
  outer.text(5, "hi");
  const std::vector<u32> numbers = {3, 270};
  outer.packed(6, std::span<const u32>(numbers));
  EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01\x2a\x02hi\x32\x03\x03\x8e\x02");
}

TEST(Writers, FirefoxBeginsByTheClockOnTheWall) {
  const stacks::StackProfile profile = small_profile();
  const stacks::Moments moments;
  std::string text;
  write_firefox({profile, moments, "tool", 1'700'000'000'123'456'789}, [&](std::string_view piece) { text += piece; });
  EXPECT_NE(text.find(R"("startTime":1700000000123.457,)"), text.npos);
}

std::string written(void (*write)(const Source&, const TakeBytes&), const stacks::StackProfile& profile) {
  std::string text;
  write({profile, {}, "wperf"}, [&](std::string_view piece) { text += piece; });
  return text;
}

std::vector<std::string> exported_processes(const stacks::StackProfile& profile) {
  const std::string text = written(write_firefox, profile), key = R"("processName":")";
  std::vector<std::string> names;
  for (usize at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    const usize begin = at + key.size();
    names.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return names;
}

TEST(Writers, FirefoxNamesProcessesByTheirFirstThread) {
  stacks::StackProfile profile = small_profile();
  EXPECT_EQ(exported_processes(profile), (std::vector<std::string>{"a", "a"}));
  profile.names.push_back("server");
  profile.tasks = {{8, 9, 0, 2}, {1, 2, 1}};  // the first thread of neither process was sampled
  EXPECT_EQ(exported_processes(profile), (std::vector<std::string>{"server", "b"}));
  profile.tasks = {{kNothing, kNothing, 0}, {kNothing, 1, 1}};
  EXPECT_EQ(exported_processes(profile), (std::vector<std::string>{"a", "b"}));
}

// A folded profile has no process, thread or core.
TEST(Writers, WhatIsNotKnownIsLeftOut) {
  stacks::StackProfile profile = small_profile();
  for (stacks::StackTask& task : profile.tasks) task.pid = task.tid = kNothing;
  for (stacks::StackSample& sample : profile.samples) sample.core = kNothing;
  for (const auto write : {write_csv, write_sql, write_firefox, write_speedscope, write_chrome, write_callgrind}) {
    EXPECT_EQ(written(write, profile).find("4294967295"), std::string::npos);
  }
  // 2^32 - 1 in protobuf's encoding, and the same after ids that begin with 1.
  const std::string_view unknown = "\xff\xff\xff\xff\x0f", after = "\x80\x80\x80\x80\x10";
  for (const auto write : {write_perfetto, write_perfetto_perf, write_otlp}) {
    EXPECT_EQ(written(write, profile).find(unknown), std::string::npos);
    EXPECT_EQ(written(write, profile).find(after), std::string::npos);
  }
  EXPECT_NE(written(write_csv, profile).find("cycles,,,a,,3,31,inner (inlined),app,a:b.c,12,"), std::string::npos);
  EXPECT_NE(written(write_sql, profile).find("(0,NULL,NULL,'a')"), std::string::npos);
  EXPECT_NE(written(write_speedscope, profile).find(R"("name":"a [cycles]")"), std::string::npos);
  EXPECT_NE(written(write_firefox, profile).find(R"("pid":"unknown","tid":"unknown")"), std::string::npos);
  EXPECT_EQ(written(write_otlp, profile).find("process.pid"), std::string::npos);
  EXPECT_EQ(written(write_otlp, profile).find("cpu.logical_number"), std::string::npos);
}

// The idle task and the first core have the number 0, which must not count as unknown.
TEST(Writers, PerfettoTellsOfTaskZeroOnCoreZero) {
  stacks::StackProfile profile = small_profile();
  profile.tasks = {{0, 0, 0}, {0, 0, 0}};
  EXPECT_NE(written(write_perfetto_perf, profile).find(std::string_view("\x08\0\x10\0\x18\0", 6)), std::string::npos);
  EXPECT_NE(written(write_perfetto, profile).find(std::string_view("\x10\0\x18\0", 4)), std::string::npos);
}

TEST(Writers, TheSqlOfNoNoteHasNone) {
  stacks::StackProfile profile = small_profile();
  EXPECT_EQ(written(write_sql, profile).find("'note'"), std::string::npos);
  profile.note = "of today";
  EXPECT_NE(written(write_sql, profile).find("('note','of today')"), std::string::npos);
}

TEST(Writers, EmptyProfileIsWritten) {
  stacks::StackProfile profile;
  profile.nodes.assign(1, {});
  const stacks::Moments moments;
  for (const auto write : {write_pprof, write_otlp, write_perfetto, write_firefox, write_speedscope, write_chrome,
                           write_callgrind, write_csv, write_sql}) {
    usize size = 0;
    write({profile, moments, "tool"}, [&](std::string_view piece) { size += piece.size(); });
    EXPECT_GT(size, 0u);
  }
}

// Two functions with one name (at two addresses), and two places on one line, are the same in CSV.
TEST(Writers, CsvHasOneRowForEachStackThatItShows) {
  stacks::StackProfile profile = small_profile();
  profile.functions.push_back(profile.functions[1]);
  profile.places.push_back({3, kNothing});
  const auto own = static_cast<u32>(profile.nodes.size());
  profile.nodes.push_back({1, 3});        // main;outer
  profile.nodes.push_back({own, 2});      // main;outer;inner
  profile.nodes.push_back({own + 1, 2});  // main;outer;inner;inner
  profile.samples.push_back({.task = 0, .node = own + 2, .count = 5, .period = 500});
  profile.samples.push_back({.task = 1, .node = own + 2, .count = 2, .period = 200});
  const std::string text = written(write_csv, profile);
  EXPECT_NE(text.find(",a,0,8,531,inner (inlined),app,a:b.c,12,main;outer;inner (inlined);inner (inlined)\n"),
            text.npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

// The paths of the mappings in order, each with its build id.
std::vector<std::string> pprof_mappings(const stacks::StackProfile& profile, const std::string& program) {
  std::string packed;
  Source source{profile, {}, "wperf"};
  source.program = program;
  write_pprof(source, [&](std::string_view piece) { packed += piece; });
  constexpr usize kGzipHeader = 10;
  std::vector<std::byte> message;
  EXPECT_TRUE(packing::inflate(std::as_bytes(std::span(packed)).subspan(kGzipHeader), message, usize{1} << 20));
  constexpr u32 kMapping = 3, kStrings = 6, kPath = 5, kBuildId = 6;
  std::vector<std::string_view> strings;
  std::vector<std::pair<u64, u64>> mappings;
  for (text::ProtobufReader reader(message); reader.next();) {
    if (reader.field() == kStrings) strings.push_back(reader.text());
    if (reader.field() != kMapping) continue;
    auto& [path, build_id] = mappings.emplace_back();
    for (text::ProtobufReader mapping(reader.bytes()); mapping.next();) {
      if (mapping.field() == kPath) path = mapping.number();
      if (mapping.field() == kBuildId) build_id = mapping.number();
    }
  }
  std::vector<std::string> texts;
  for (const auto& [path, build_id] : mappings) texts.push_back(fmt::format("{}={}", strings[path], strings[build_id]));
  return texts;
}

// pprof merges mappings with the same build id.
TEST(Writers, PprofKeepsCopiesOfAProgramApart) {
  stacks::StackProfile profile = small_profile();
  profile.modules[0].build_id = "ab";
  profile.modules.push_back({.name = "copy", .path = "/copy", .reason = {}, .build_id = "ab"});
  profile.modules.push_back({.name = "lib", .path = "/lib", .reason = {}, .build_id = "cd"});
  EXPECT_EQ(pprof_mappings(profile, ""), (std::vector<std::string>{"/app=ab", "/copy=", "/lib=cd"}));
  EXPECT_EQ(pprof_mappings(profile, "copy"), (std::vector<std::string>{"/copy=ab", "/app=", "/lib=cd"}));
  EXPECT_EQ(pprof_mappings(profile, "sh"), (std::vector<std::string>{"/app=ab", "/copy=", "/lib=cd"}));
}

// In a profile, several functions with one name are one function.
TEST(Writers, CallgrindHasLinesInTheirOwnFiles) {
  stacks::StackProfile profile = small_profile();
  profile.functions = {{.name = "main", .is_known = true}, {.name = "operator()", .is_known = true}};
  profile.lines = {"main.c:7", "std.h:290", "main.c:14"};
  profile.places = {{0, 0}, {1, 1}, {1, 2}};
  profile.nodes = {{}, {0, 0}, {1, 1}, {1, 2}, {3, 0}};
  profile.samples = {
      {.node = 2, .count = 3, .period = 3}, {.node = 3, .count = 4, .period = 4}, {.node = 4, .count = 5, .period = 5}};
  const std::string text = written(write_callgrind, profile);
  // The function has the file of its first place.
  EXPECT_NE(text.find("fn=(2)\n290 3\nfi=(2)\n14 4\ncob=(1)\ncfi=(2)\ncfn=(1)\ncalls=1 0\n14 5\n"), text.npos) << text;
  EXPECT_NE(text.find("cfi=(1) std.h\ncfn=(2) operator()\ncalls=1 0\n7 12\n"), text.npos) << text;
}

}  // namespace
}  // namespace wperf::exports
