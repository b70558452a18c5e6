// SPDX-License-Identifier: BSD-3-Clause
// The user's choices, the samples, and the resulting picture.
#include <gtest/gtest.h>

#include "views/top/picture.h"

namespace wperf::top {
namespace {

struct Sampled {
  u32 function = 0, task = 0, core = 0;
  u64 count = 0;
};

// Functions: 0 "parse" and 1 "漢字\x1b[2J" in app, 2 without a name in libx. Threads: 7/7 "main" and 7/8 "helper".
stacks::StackProfile profile_of(const std::vector<Sampled>& sampled) {
  stacks::StackProfile profile;
  profile.events.push_back({.name = "cycles"});
  profile.names = {"main", "helper"};
  profile.tasks = {{7, 7, 0}, {7, 8, 1}};
  profile.modules.resize(2);
  profile.modules[0].name = "app";
  profile.modules[1].name = "libx";
  profile.modules[1].reason = "no file libx here";
  profile.functions = {{.name = "parse", .module = 0, .is_known = true},
                       {.name = "漢字\x1b[2J", .module = 0, .is_known = true},
                       {.name = "libx+0x10", .module = 1}};
  for (u32 i = 0; i < 3; ++i) {
    profile.places.push_back({.function = i});
    profile.nodes.push_back({.place = i});
  }
  for (const Sampled& one : sampled) {
    profile.samples.push_back({.event = 0,
                               .task = one.task,
                               .core = one.core,
                               .node = one.function,
                               .count = one.count,
                               .period = one.count * 1000});
  }
  return profile;
}

class View : public testing::Test {
 protected:
  View() {
    add({{0, 0, 0, 60}, {1, 1, 1, 30}, {2, 0, 1, 10}});
    facts_.is_first = false;
  }
  void add(const std::vector<Sampled>& sampled) { table_.add(profile_of(sampled), 1.0, 0, {}); }
  Action press(std::string_view keys) {
    KeyReader reader;
    Action last = Action::nothing;
    std::vector<Key> all = reader.take(keys);
    const std::vector<Key> rest = reader.pause();
    all.insert(all.end(), rest.begin(), rest.end());
    for (const Key& key : all) {
      last = view_.take(key, table_.rows(view_.query), page_of(12));
      view_.follow(table_.rows(view_.query));
    }
    return last;
  }
  std::vector<std::string> shown(usize columns = 60, usize lines = 12) {
    view_.follow(table_.rows(view_.query));
    const Picture picture = make_picture(view_, table_, table_.rows(view_.query), facts_, {columns, lines});
    std::vector<std::string> texts;
    for (const Line& line : picture.lines) {
      EXPECT_LE(line.columns(), columns);
      EXPECT_EQ(line.text().find('\x1b'), std::string::npos);
      texts.push_back(line.text());
    }
    EXPECT_EQ(texts.size(), lines);
    return texts;
  }

  LiveTable table_;
  TopView view_;
  PictureFacts facts_{.of = "app (7)", .note = {}, .no_waits = {}};
};

TEST_F(View, Functions) {
  const std::vector<std::string> lines = shown();
  EXPECT_EQ(lines[0], "wperf top: app (7)   cycles 100 K/s");
  EXPECT_EQ(lines[1], "functions, last 1.000 s: 100 samples");
  EXPECT_EQ(lines[2], "10.0 % without a name, most in libx: no file libx here");
  EXPECT_EQ(lines[3], "      %   samples  module  function");
  EXPECT_EQ(lines[4].substr(0, 40), "  60.00        60  app     parse        ");
  EXPECT_EQ(lines[5], "  30.00        30  app     漢字\\x1b[2J");
  EXPECT_EQ(lines[6], "  10.00        10  libx    libx+0x10");
}

TEST_F(View, ThreadsCoresAndModules) {
  press("2");
  EXPECT_EQ(shown()[4].substr(0, 30), "  70.00        70  7    main  ");
  EXPECT_EQ(shown()[5], "  30.00        30  7/8  helper");
  press("3");
  EXPECT_EQ(shown()[5], "  40.00        40  core 1");
  press("v");
  EXPECT_EQ(shown()[5], "  10.00        10  libx");
  press("v");
  EXPECT_EQ(view_.query.grouping, Grouping::wait);
  press("v");
  EXPECT_EQ(view_.query.grouping, Grouping::counter);
  press("v");
  EXPECT_EQ(view_.query.grouping, Grouping::function);
}

TEST_F(View, ExtentsAddUp) {
  add({{0, 0, 0, 1}});
  EXPECT_EQ(table_.rows(view_.query).samples, 1u);
  press("t");
  EXPECT_EQ(table_.rows(view_.query).samples, 101u);
  EXPECT_EQ(shown()[1], "functions, last 2 looks (2.000 s): 101 samples");
  for (u32 i = 0; i < kLooksOfTen; ++i) add({{0, 0, 0, 2}});
  EXPECT_EQ(table_.rows(view_.query).samples, 20u);
  press("t");
  EXPECT_EQ(table_.rows(view_.query).samples, 121u);
  EXPECT_EQ(table_.rows(view_.query).seconds, 12);
  EXPECT_EQ(press("c"), Action::clear);
}

answers::CountRow counter(const char* name, u64 value, double fraction = 1) {
  answers::CountRow row;
  row.name = name;
  row.code = u16{1};
  row.value = row.scaled = value;
  row.fraction = fraction;
  return row;
}

TEST_F(View, CountersBesideSamples) {
  press("6");
  EXPECT_EQ(shown()[1], "counters, last 1.000 s: the sampled ones; add others with -~");
  EXPECT_EQ(shown()[3], "             count  event   by       that is");
  EXPECT_EQ(shown()[4].substr(0, 55), "           100,000  cycles  samples  100 K/s           ");
  answers::CountRow cycle = counter("cycle", 300);  // the same counter as the next row, which was requested
  cycle.code.reset();
  const std::vector<answers::CountRow> counted = {cycle, counter("cycles", 300), counter("instructions", 600),
                                                  counter("page-faults", 0, 0)};
  table_.add(profile_of({}), 2.0, 0, {}, {.waits = {}, .counters = counted});
  EXPECT_EQ(shown(72)[1], "counters, last 2.000 s");
  const std::vector<std::string> lines = shown(72);
  EXPECT_EQ(lines[4].substr(0, 60), "               300  cycles        counter  150/s            ");
  EXPECT_EQ(lines[5], "               600  instructions  counter  2.00 per cycle");
  EXPECT_EQ(lines[6], "       not counted  page-faults   counter  ");
  EXPECT_EQ(lines[7], "                 0  cycles        samples  0/s");
  table_.add(profile_of({}), 2.0, 0, {}, {.waits = {}, .counters = counted});
  press("t");
  EXPECT_EQ(shown(72)[5], "             1,200  instructions  counter  2.00 per cycle");
  press("/INS\r");
  EXPECT_EQ(table_.rows(view_.query).rows.size(), 1u);
  press("\r");
  EXPECT_NE(shown(72).back().find("`wperf top -e`"), std::string::npos);
}

TEST_F(View, FilterByTyping) {
  press("/PAR");
  EXPECT_EQ(table_.rows(view_.query).rows.size(), 1u);
  EXPECT_EQ(shown().back(), "names with: PAR ");
  EXPECT_EQ(shown()[1], "functions, last 1.000 s: 100 samples, 'PAR' has 60.00 %");
  press("\x7f\x7f\x7fq");  // q is a letter here, and does not end the program
  EXPECT_EQ(view_.query.filter, "q");
  EXPECT_NE(shown()[4].find("no name contains this text"), std::string::npos);
  press("\r");
  EXPECT_EQ(view_.typing, Typing::nothing);
  EXPECT_EQ(view_.query.filter, "q");
  press("\x1b");
  EXPECT_EQ(view_.query.filter, "");
}

TEST_F(View, ZoomIntoAThreadAndBack) {
  press("2\x1b[B\r");
  EXPECT_EQ(shown()[1], "functions of helper 7/8, last 1.000 s: 30 samples");
  EXPECT_EQ(table_.rows(view_.query).rows.size(), 1u);
  press("\x1b");
  EXPECT_EQ(table_.rows(view_.query).rows.size(), 3u);
}

TEST_F(View, ZoomIntoCode) {
  EXPECT_EQ(press("\r"), Action::load_code);
  EXPECT_EQ(shown()[3], "lines of app!parse  looking ...");
  stacks::FunctionCode code;
  code.hits = {60, 60000};
  code.lines = {{.file = "/src/p.c", .line = 12, .hits = {45, 45000}, .source = "while (next())"}};
  code.instructions = {{.address = 0x1000, .text = "ldr x0, [x1]", .hits = {15, 15000}, .line = ""}};
  view_.code->is_waiting = false;
  view_.take_code(code);
  EXPECT_EQ(shown()[3], "lines of app!parse  60 samples");
  EXPECT_EQ(shown()[4].substr(0, 42), "  75.00        45  p.c:12  while (next()) ");
  press("i");
  EXPECT_EQ(shown()[4].substr(0, 40), "  25.00        15  0x1000  ldr x0, [x1] ");
  press("\x1b");
  EXPECT_FALSE(view_.code.has_value());
}

TEST_F(View, WithoutLinesThereAreInstructions) {
  press("\r");
  stacks::FunctionCode code;
  code.lines = {{.file = "", .line = 0, .hits = {1, 1}, .source = ""}};
  code.instructions = {{.address = 0x1000, .text = "ret", .hits = {1, 1}, .line = ""}};
  view_.take_code(code);
  EXPECT_TRUE(view_.code->instructions);
}

TEST_F(View, CursorStaysOnTheRows) {
  press("\x1b[A\x1b[B\x1b[B\x1b[B\x1b[B");
  EXPECT_EQ(view_.cursor, 2u);
  press("\x1b[H");
  EXPECT_EQ(view_.cursor, 0u);
  press("\x1b[6~");
  EXPECT_EQ(view_.cursor, 2u);
  add({{0, 0, 0, 1}});  // fewer rows than the cursor's position
  EXPECT_EQ(shown()[4].substr(0, 10), " 100.00   ");
}

TEST_F(View, CursorStaysOnWhatWasChosen) {
  press("2\x1b[B");  // the cursor is on helper, whose share grows
  add({{0, 0, 0, 10}, {1, 1, 1, 90}});
  EXPECT_EQ(shown()[4].substr(0, 30), "  90.00        90  7/8  helper");
  EXPECT_EQ(view_.cursor, 0u);
  press("\r");
  EXPECT_EQ(shown()[1], "functions of helper 7/8, last 1.000 s: 90 samples");
  press("\x1b");
  EXPECT_EQ(view_.cursor, 0u);
}

TEST_F(View, CursorWaitsForWhatIsNotThere) {
  press("2\x1b[B");
  add({{0, 0, 0, 10}});  // without helper
  shown();
  EXPECT_FALSE(view_.is_there);
  press("\r");
  EXPECT_TRUE(view_.query.within.is_all());
  EXPECT_NE(shown(100).back().find("the selected row is gone"), std::string::npos);
  add({{0, 0, 0, 10}, {1, 1, 1, 90}});
  shown();
  EXPECT_TRUE(view_.is_there);
  EXPECT_EQ(view_.cursor, 0u);
  press("\x1b[B\x1b[H");  // the cursor at the top stays at the top
  add({{0, 0, 0, 90}, {1, 1, 1, 10}});
  press("\r");
  EXPECT_EQ(view_.within_name, "main 7");
}

TEST_F(View, CursorOfCodeStaysOnItsLine) {
  press("\x1b[B\r");
  stacks::FunctionCode code;
  code.lines = {{.file = "p.c", .line = 12, .hits = {45, 45000}, .source = ""},
                {.file = "p.c", .line = 13, .hits = {15, 15000}, .source = ""}};
  view_.take_code(code);
  press("\x1b[B");
  EXPECT_EQ(view_.code->cursor, 1u);
  std::swap(code.lines[0], code.lines[1]);
  view_.take_code(code);
  EXPECT_EQ(view_.code->cursor, 0u);
  press("\x1b");
  EXPECT_EQ(view_.cursor, 1u);  // the cursor stays on its function
}

TEST_F(View, FileToSave) {
  press("w");
  EXPECT_EQ(shown().back(), "write to: top.data ");
  EXPECT_EQ(press("\x15my.data\r"), Action::save);
  EXPECT_EQ(view_.typed, "my.data");
  press("w");
  EXPECT_EQ(press("\x1b"), Action::nothing);
}

TEST_F(View, FileThatIsThere) {
  press("w");
  EXPECT_EQ(press("\r"), Action::save);
  view_.typing = Typing::overwrite;  // as the screen does if the file exists
  EXPECT_TRUE(shown(90).back().starts_with("top.data exists; "));
  EXPECT_EQ(press("\r"), Action::nothing);
  EXPECT_EQ(shown().back(), "write to: top.data ");
  view_.typing = Typing::overwrite;
  EXPECT_EQ(press("y"), Action::save_over);
  EXPECT_EQ(view_.typing, Typing::nothing);
}

TEST_F(View, WhatIsTypedIsSeenOnAnyScreen) {
  press("/parse_of_all");
  EXPECT_EQ(shown(20, 5).back(), "parse_of_all ");
  EXPECT_EQ(shown(10, 1).back(), "~e_of_all ");
  EXPECT_EQ(shown(5, 2).back(), "~all ");
  EXPECT_EQ(shown(22, 2).back(), "names with: ~e_of_all ");
}

TEST_F(View, KeysThatEnd) {
  EXPECT_EQ(press("q"), Action::quit);
  EXPECT_EQ(press("/\x03"), Action::quit);
  view_.typing = Typing::nothing;
  EXPECT_EQ(press("hq"), Action::quit);
  EXPECT_EQ(press("\x1a"), Action::suspend);
}

TEST_F(View, WaitsSayWhere) {
  const std::vector<waits::FunctionWaits> waits{
      {.function = "pthread_mutex_lock",
       .module = "libc",
       .wait = waits::WaitClass::lock,
       .begun = 12,
       .waited = 1'500'000'000},
      {.function = "read", .module = "libc", .wait = waits::WaitClass::io, .begun = 0, .waited = 500'000'000}};
  table_.add(profile_of({{0, 0, 0, 5}}), 1.0, 0, {}, {.waits = waits});
  press("2\r5");  // the limit to one row does not apply here
  std::vector<std::string> lines = shown(120);
  EXPECT_EQ(lines[0], "wperf top: app (7)   cycles 5.00 K/s");
  EXPECT_EQ(lines[1], "waits, last 1.000 s: 2.000 s by 2.0 threads, 12 started");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(lines[3], "      %    waited     begun  for   in");
  EXPECT_EQ(lines[4].substr(0, 60), "  75.00   1.500 s        12  lock  libc!pthread_mutex_lock  ");
  EXPECT_EQ(lines[5], "  25.00    500 ms         0  I/O   libc!read");
  press("/i/o");
  EXPECT_EQ(table_.rows(view_.query).rows.size(), 1u);
  EXPECT_NE(shown(120)[1].find("'i/o' has 25.00 %"), std::string::npos);
  press("\r\x1b\r");
  EXPECT_FALSE(view_.code.has_value());
  EXPECT_NE(shown(120).back().find("wperf waits"), std::string::npos);
  table_.add(profile_of({}), 1.0, 0, {}, {.waits = waits});
  press("t");
  EXPECT_EQ(table_.rows(view_.query).period, 4'000'000'000u);
  EXPECT_EQ(table_.rows(view_.query).samples, 24u);
}

TEST_F(View, WithoutWaitsThereIsAReasonAndNoTable) {
  facts_.no_waits = "a driver does not see why threads wait";
  press("5");
  EXPECT_EQ(shown()[1], "waits");
  EXPECT_EQ(shown()[3], "a driver does not see why threads wait");
  EXPECT_EQ(shown()[4], "");
  facts_.no_waits.clear();
  EXPECT_EQ(shown()[1], "waits, last 1.000 s: none known");
  EXPECT_EQ(shown()[4].substr(0, 24), "none of these threads ha");
}

TEST_F(View, AnyScreenIsPainted) {
  for (const usize columns : {1, 7, 20, 41, 300}) {
    for (const usize lines : {1, 2, 6, 50}) {
      for (const char* keys : {"", "h", "2", "/", "\r", "5"}) {
        view_ = {};
        press(keys);
        shown(columns, lines);
      }
    }
  }
}

TEST_F(View, LossesAreShown) {
  stacks::StackProfile lossy = profile_of({{0, 0, 0, 1}});
  lossy.losses.lost_samples = 1234;
  lossy.losses.throttled = 1;
  table_.add(lossy, 1.0, 20'000'000, {});
  EXPECT_EQ(shown()[0], "wperf top: app (7)   at least cycles 1.00 K/s");
  EXPECT_EQ(shown()[2], "1,234 samples lost; throttled once; 20.0 ms not sampled");
}

TEST_F(View, TheShareOfPythonIsThatOfTheShownTime) {
  stacks::StackProfile profile = profile_of({{0, 0, 0, 1}});
  table_.add(profile, 1.0, 0, {});
  EXPECT_EQ(shown()[2], "");
  profile.python = {.versions = "3.13", .joined = 3, .unread = 1};
  table_.add(profile, 1.0, 0, {});
  profile.python.joined = 4;
  table_.add(profile, 1.0, 0, {});
  view_.query.extent = Extent::newest;
  EXPECT_EQ(shown()[2], "Python 3.13: 4 of 5 samples inside the interpreter have Pyt~");
  view_.query.extent = Extent::all;
  EXPECT_EQ(shown()[2].find("Python 3.13: 7 of 9 samples inside the interpreter"), 0u) << "before names are missed";
}

TEST_F(View, FilterOfARun) {
  LiveTable table;
  table.add(profile_of({{0, 0, 0, 3}, {0, 1, 0, 4}}), 1.0, 0, {.tids = {8}});
  EXPECT_EQ(table.rows({}).samples, 4u);
}

}  // namespace
}  // namespace wperf::top
