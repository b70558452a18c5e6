// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/stack_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

using stacks::kNothing;
using stacks::StackProfile;

StackProfile one_of_each() {
  StackProfile profile;
  profile.file = "perf.data";
  profile.events = {{"cycles", 4, 40}, {"faults", 0, 0}};
  profile.names = {"prog"};
  profile.tasks = {{7, 8, 0}};
  profile.modules = {{"prog", "/bin/prog", ""}, {"[kernel]", "", "it is another kernel"}};
  profile.functions = {{"main;odd", 0, true, false}, {"[unknown]", 1, false, true}};
  profile.lines = {"main.c:12"};
  profile.places = {{0, 0}, {1, kNothing}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 1}};
  profile.samples = {{0, 0, 2, 2, 3, 30}, {0, 0, 2, 1, 1, 10}};
  profile.has_callers = true;
  profile.elapsed_seconds = 1.5;
  return profile;
}

TEST(StackText, ShowsTheGreatestFirstAndWhatIsNotNamed) {
  EXPECT_EQ(stack_text(one_of_each(), {}),
            "1.500 s from first to last sample\n"
            "only 4 samples: too few for a profile\n"
            "\n"
            "event cycles: 4 samples, 40 counted\n"
            "      %  samples  command  module    symbol\n"
            "      =  =======  =======  ======    ======\n"
            "  75.00        3  prog     [kernel]  [k] [unknown]\n"
            "  25.00        1  prog     prog      main;odd\n"
            "\n"
            "note: 75.0 % of samples without a function name in [kernel]: it is another kernel\n");
}

TEST(StackText, TheHeadlineIsWrappedOnANarrowTerminal) {
  StackProfile profile = one_of_each();
  profile.samples[0].count = 30;
  StackOptions options;
  options.width = 40;
  EXPECT_TRUE(stack_text(profile, options)
                  .starts_with("1.500 s from first to last sample\n"
                               "hottest by cycles: code without a name\n"
                               "in [kernel], 75.00 %; called by main;odd\n"))
      << stack_text(profile, options);
}

TEST(StackText, PercentagesOfWhatTheFilterLeaves) {
  StackOptions options;
  options.filter.modules = {"prog"};
  options.tree = true;
  const std::string absolute = stack_text(one_of_each(), options);
  EXPECT_NE(absolute.find("  25.00        1  prog     prog    main;odd\n"), std::string::npos) << absolute;
  EXPECT_NE(absolute.find("   25.00   25.00  main;odd (prog)\n"), std::string::npos) << absolute;
  options.relative = true;
  const std::string relative = stack_text(one_of_each(), options);
  EXPECT_NE(relative.find("  100.00        1  prog     prog    main;odd\n"), std::string::npos) << relative;
  EXPECT_NE(relative.find("  100.00  100.00  main;odd (prog)\n"), std::string::npos) << relative;
  EXPECT_NE(relative.find("shown: 1 of 4 samples, 25.00 %"), std::string::npos) << relative;
  const auto document = nlohmann::json::parse(stack_json(one_of_each(), options));
  EXPECT_EQ(document["recording"]["events"][0]["rows"][0]["percent"], 100.0);
  options.filter.modules = {"nothing of this name"};
  EXPECT_NE(stack_text(one_of_each(), options).find("shown: 0 of 4 samples"), std::string::npos);
}

TEST(StackText, KindsOfCores) {
  StackProfile profile = one_of_each();
  profile.samples[1].core = 5;
  profile.core_kinds.names = {"armv8_cortex_a76"};
  profile.core_kinds.of_core = {kNothing, kNothing, 0};
  profile.core_kinds.events = {{.has_cores = true}};
  StackOptions options;
  options.sort = {stacks::SortKey::core_kind, stacks::SortKey::core};
  const std::string text = stack_text(profile, options);
  EXPECT_NE(text.find("  75.00        3  armv8_cortex_a76     2\n  25.00        1  ?                    5\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("samples  cpu type          core\n"), std::string::npos) << text;
  const auto rows = nlohmann::json::parse(stack_json(profile, options))["recording"]["events"][0]["rows"];
  EXPECT_EQ(rows[0]["cputype"], "armv8_cortex_a76");
  EXPECT_EQ(rows[1]["cputype"], "?");
}

TEST(StackText, LossesComeFirst) {
  StackProfile profile = one_of_each();
  profile.losses.lost_records = 1234;
  profile.losses.throttled = 2;
  profile.losses.unknown_records = 5;
  profile.losses.stacks_cut = 84;
  const std::string text = stack_text(profile, {});
  EXPECT_TRUE(text.starts_with("1,234 records were lost (99.7 %): the ring buffer between")) << text;
  EXPECT_NE(text.find("2 times the kernel paused"), std::string::npos);
  EXPECT_NE(text.find("5 records are of unknown types"), std::string::npos);
  EXPECT_NE(text.find("84 call stacks stop early: the stack copy was too short"), std::string::npos);
}

TEST(StackText, PythonHasItsOwnLosses) {
  StackProfile profile = one_of_each();
  profile.events[0].samples = 1000;
  profile.losses.stacks_cut = 84;
  EXPECT_NE(stack_losses(profile)[0].text.find("--call-graph dwarf,SIZE"), std::string::npos);
  profile.python = {.versions = "3.14", .joined = 900, .cut = 30};
  const std::vector<StackLoss> losses = stack_losses(profile);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(
      losses[0].text,
      "84 of 1,000 call stacks stop early (8.4 %): the stack copy was too short, so the outermost native functions "
      "are missing");
  EXPECT_EQ(
      losses[1].text,
      "30 of 1,000 call stacks stop early (3.0 %): they have more than 1,024 Python functions; the outermost ones "
      "are missing");
}

// A loss of less than 1 % does not change the conclusions of readers.
TEST(StackText, WhatIsHardlyMissingStandsBehind) {
  StackProfile profile = one_of_each();
  profile.events[0].samples = 5000;
  profile.losses.stacks_without_table = 4;
  profile.losses.lost_samples = 1000;
  const std::string text = stack_text(profile, {});
  EXPECT_TRUE(text.starts_with("1,000 samples were lost in the kernel (16.7 %)\n1.500 s")) << text;
  EXPECT_NE(text.find("\nnote: 4 of 5,000 call stacks stop early (0.1 %): "), std::string::npos) << text;
  const std::vector<StackLoss> losses = stack_losses(profile);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_FALSE(losses[0].is_minor);
  EXPECT_TRUE(losses[1].is_minor);
  EXPECT_EQ(losses_brief(losses), "1,000 samples lost (16.7 %), 4 stacks incomplete (0.1 %)");
  // The recorder's count includes stacks of samples that are not shown.
  profile.losses.stacks_of_whole = true;
  EXPECT_NE(stack_text(profile, {}).find("\nnote: 4 call stacks of the whole recording stop early: "),
            std::string::npos);
  profile.losses.stacks_of_whole = false;
  // The event of the threads' whole time has nanoseconds instead of samples.
  profile.events.push_back({.name = std::string(stacks::kAllTime), .samples = 1'000'000'000});
  EXPECT_NE(stack_text(profile, {}).find("note: 4 of 5,000 call stacks stop early (0.1 %): "), std::string::npos);
  profile.events.front().samples = 0;
  EXPECT_NE(stack_text(profile, {}).find("1,000 samples were lost in the kernel\n"), std::string::npos);
  profile.events.front().samples = 5000;
  profile.events.pop_back();
  // For a part of a recording, stacks of the whole recording are not shown as a share.
  profile.losses.stacks_without_table = 5001;
  EXPECT_EQ(losses_brief(stack_losses(profile)), "1,000 samples lost (16.7 %), 5,001 stacks incomplete");
}

TEST(StackText, IncompleteStacksAreOneLossInFewWords) {
  StackProfile profile = one_of_each();
  profile.events[0].samples = 1000;
  profile.losses.stacks_cut = 20;
  profile.losses.stacks_without_table = 30;
  profile.losses.stacks_undelivered = 1;
  profile.losses.stacks_continued = 7;
  const std::vector<StackLoss> losses = stack_losses(profile);
  EXPECT_EQ(losses.size(), 4u);
  EXPECT_EQ(losses_brief(losses), "51 stacks incomplete (5.1 %), 7 stacks continued by frame pointers");
}

TEST(StackText, StrippedCodeHasAWayOut) {
  StackProfile profile = one_of_each();
  profile.functions[0].is_known = false;
  const std::string text = stack_text(profile, {});
  EXPECT_NE(text.find("note: 25.0 % of samples without a function name in prog: it is stripped: install its "
                      "debug package (-dbgsym, -debuginfo), or try --debuginfod"),
            std::string::npos)
      << text;
  EXPECT_EQ(losses_brief(all_losses(profile)), "100.0 % without function names");
}

TEST(StackText, FiltersInVainNameWhatThereIs) {
  StackOptions options;
  options.filter = {.comms = {"nosuch", "prog"}, .modules = {"/bin/prog", "libc.so.6"}, .tids = {9}};
  const std::string text = stack_text(one_of_each(), options);
  EXPECT_NE(text.find("note: no samples of the command nosuch; available: prog\n"), std::string::npos) << text;
  EXPECT_NE(text.find("note: no samples of the module libc.so.6; available: [kernel], prog\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("note: no samples of the thread 9; available: 8\n"), std::string::npos) << text;
  EXPECT_TRUE(filter_notes(one_of_each(), {.comms = {"prog"}}).empty());
  options.filter = {.symbol = [](std::string_view name) { return name == "nosuch"; }, .symbol_text = "nosuch"};
  const std::string of_functions = stack_text(one_of_each(), options);
  EXPECT_NE(of_functions.find("note: no samples of the function nosuch; available: main;odd"), std::string::npos)
      << of_functions;
  options.filter.symbol = [](std::string_view name) { return name.starts_with("main"); };
  EXPECT_TRUE(filter_notes(one_of_each(), options.filter).empty());
}

TEST(StackText, WithoutASampleSaysWhy) {
  StackProfile nothing;
  stacks::RecordingAbout about;
  StackOptions options;
  EXPECT_EQ(stack_text(nothing, options), "no samples\n");
  options.about = &about;
  EXPECT_EQ(stack_text(nothing, options), "no samples\n") << "somebody else's recording";
  const auto ends_with = [&](std::string_view told) {
    const std::string text = stack_text(nothing, options);
    EXPECT_TRUE(text.ends_with(told)) << text;
  };
  about.elapsed_ns = 2'000'000;
  about.has_ended = true;
  ends_with(
      "no samples: the program ended before the first one; sample more often with `--freq 20000`, or count with "
      "`wperf stat`\n");
  about.has_ended = false;
  ends_with(
      "no samples: the interval was longer than the run, or the program never ran on a sampled core; try --freq "
      "1000\n");
  about.cpu_ns = 0;
  ends_with("no samples: the program did not run while it was recorded\n");
  about.cpu_ns = 90'000;
  ends_with(
      "no samples: the program was too short for the first sample; sample more often with `--freq 20000`, or count "
      "with `wperf stat`\n");
  about.is_of_machine = true;
  ends_with("no samples: the sampled events did not happen while the machine was recorded\n");
  options.part.from = 100;
  about.elapsed_ns = 6'275'000'000;
  ends_with("no samples after 100 s: the recording is 6.275 s long\n");
  options.part = {.from = 1, .to = 2.5, .fewest_threads = 3, .most_threads = 3};
  ends_with("no samples from 1 s to 2.5 s while 3 threads ran: the recording is 6.275 s long\n");
  options.part = {};
  options.part.fewest_threads = 1;
  options.part.most_threads = 2;
  ends_with("no samples while 1 to 2 threads ran\n");
  options.part = {};
  nothing.losses.lost_samples = 3;
  ends_with("no samples: they are missing, as described above\n");
}

TEST(StackText, LinesWithWhatTheyCalled) {
  StackProfile profile = one_of_each();
  stacks::FunctionCode code;
  code.hits = {1, 10};
  code.all = {4, 40};
  code.with_calls = true;
  code.lines = {{"/src/main.c", 12, {}, "run();", {3, 30}}, {"/src/main.c", 14, {1, 10}, "i++;", {1, 10}}};
  profile.code = {code};
  const std::string text = stack_text(profile, {});
  EXPECT_NE(
      text.find(
          "\nmain;odd (prog): 100.00 % including callees, 25.00 % itself; shares below are of the first number\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("75.00                   /src/main.c:12  run();\n"), std::string::npos) << text;
  EXPECT_NE(text.find("25.00   25.00        1  /src/main.c:14  i++;\n"), std::string::npos) << text;
  const auto line = nlohmann::json::parse(stack_json(profile, {}))["recording"]["events"][0]["code"][0]["lines"][0];
  EXPECT_EQ(line["samples"], 0);
  EXPECT_EQ(line["all_period"], 30);
}

TEST(StackText, DamageComesBeforeAllElse) {
  StackProfile profile = one_of_each();
  profile.losses.damaged_places = 2;
  profile.losses.damaged_bytes = 4136;
  profile.losses.damaged_records_about = 77;
  profile.losses.lost_records = 1;
  EXPECT_TRUE(stack_text(profile, {})
                  .starts_with("the file is damaged: 4,136 bytes in 2 places contain no readable records, about 77 "
                               "are missing\n1 records were lost (20.0 %)"));
  const auto losses = nlohmann::json::parse(stack_json(profile, {}))["recording"]["losses"];
  EXPECT_EQ(losses["damaged_places"], 2);
  EXPECT_EQ(losses["damaged_bytes"], 4136);
  EXPECT_EQ(losses["damaged_records_about"], 77);
}

TEST(StackText, CodeOfAFunction) {
  StackProfile profile = one_of_each();
  stacks::FunctionCode code;
  code.hits = {4, 40};
  code.lines = {{"/src/main.c", 12, {3, 30}, "\tx += 1;"}, {"", 0, {1, 10}, ""}};
  code.instructions = {{0x1000, "nop", {3, 30}, "main.c:12", false}, {0x1010, "ret", {}, "", true}};
  code.reason = "something is missing";
  profile.code = {code};
  const std::string text = stack_text(profile, {});
  EXPECT_NE(text.find("\nmain;odd (prog): 4 samples, 100.00 %; shares below are of these\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("75.00        3  /src/main.c:12      x += 1;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("25.00        1  -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("75.00        3     1000  main.c:12  nop\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  something is missing\n"), std::string::npos) << text;
  const auto event = nlohmann::json::parse(stack_json(profile, {}))["recording"]["events"][0];
  EXPECT_EQ(event["code"][0]["lines"][0]["source"], "\tx += 1;");
  EXPECT_EQ(event["code"][0]["instructions"][1]["address"], 0x1010);
}

TEST(StackText, FitsTheTerminal) {
  StackProfile profile = one_of_each();
  profile.functions[0].name = std::string(200, 'x');
  profile.functions[1].name = "ä" + std::string(200, 'y');
  for (const bool trees : {false, true}) {
    StackOptions options;
    options.width = 60;
    options.tree = options.callers = trees;
    const std::string text = stack_text(profile, options);
    for (usize at = 0; at < text.size();) {
      const usize end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("note:")) continue;
      EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<u8>(c) & 0xc0u) != 0x80u; }),
                60)
          << line;
    }
  }
}

TEST(StackText, ColourChangesNothingButColour) {
  StackOptions options;
  options.tree = options.callers = true;
  StackProfile profile = one_of_each();
  stacks::FunctionCode code;
  code.hits = {4, 40};
  code.lines = {{"/src/main.c", 12, {3, 30}, "x += 1;"}};
  code.instructions = {{0x1000, "nop", {3, 30}, "main.c:12", false}, {0x1010, "ret", {}, "", true}};
  profile.code = {code};
  const std::string plain = stack_text(profile, options);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  options.coloured = true;
  const std::string coloured = stack_text(profile, options);
  EXPECT_NE(coloured.find("\x1b[31m"), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

TEST(StackText, RowsAreColouredByTheirShare) {
  EXPECT_EQ(text::coloured_by_share("a", 5), "\x1b[31ma\x1b[0m");
  EXPECT_EQ(text::coloured_by_share("a", 4.99), "\x1b[32ma\x1b[0m");
  EXPECT_EQ(text::coloured_by_share("a", 0.49), "a");
}

TEST(StackText, ControlCharactersAreAsWideAsTheyArePrinted) {
  EXPECT_EQ(text::width_of("a\x1b[2J"), 8u);           // a\x1b[2J
  EXPECT_EQ(text::width_of("\x7f\xc2\x9b\x08"), 12u);  // \x7f\x9b\x08
  EXPECT_EQ(text::width_of("\x1b[1;31m漢字\x1b[0m"), 2u);
  EXPECT_EQ(text::width_of("\x1b[30;40m"), 11u);       // a colour that wperf does not use
  EXPECT_EQ(text::width_of("\xe2\x80\xae\x9b"), 10u);  // \u202e\x9b
  EXPECT_EQ(text::cut_to("abc\x07xyz", 8), "abc..");
  EXPECT_EQ(text::cut_to("abc\x07xyz", 9), "abc\x07..");
  EXPECT_EQ(text::cut_to("abc\x07xyz", 10), "abc\x07xyz");
}

TEST(StackText, NamesHaveNoColoursNorLineEnds) {
  StackProfile profile = one_of_each();
  for (stacks::StackFunction& function : profile.functions) function.name = "f\n\x1b[31m 99.00  main\x1b[0m";
  for (stacks::StackModule& module : profile.modules) module.name = "\x1b[0mm";
  for (const bool tree : {false, true}) {
    StackOptions options;
    options.tree = tree;
    const std::string plain = stack_text(profile, options);
    const usize name = plain.find("f\\x0a\\x1b[31m 99.00  main\\x1b[0m");
    ASSERT_NE(name, std::string::npos) << plain;
    const usize begin = plain.rfind('\n', name), end = plain.find('\n', name);
    EXPECT_EQ(plain.substr(begin, end - begin).find('\x1b'), std::string::npos) << plain;
  }
}

TEST(StackText, TreesAndFolded) {
  StackOptions options;
  options.tree = true;
  const std::string text = stack_text(one_of_each(), options);
  EXPECT_NE(text.find("  100.00   25.00  main;odd (prog)\n   75.00   75.00  └ [k] [unknown]\n"), std::string::npos)
      << text;
  std::string folded;
  write_folded(one_of_each(), 0, options, [&](std::string_view part) { folded += part; });
  EXPECT_EQ(folded, "prog;main:odd 1\nprog;main:odd;[unknown] 3\n");
  // Functions of Python with the same name have their files.
  StackProfile python = one_of_each();
  const auto module = static_cast<u32>(python.modules.size());
  python.modules.push_back({.name = "a/utils.py", .path = "/a/utils.py", .reason = {}});
  python.modules.push_back({.name = "b/utils.py", .path = "/b/utils.py", .reason = {}});
  python.functions[0].module = module;
  python.functions.push_back(python.functions[0]);
  python.functions.back().module = module + 1;
  folded.clear();
  write_folded(python, 0, options, [&](std::string_view part) { folded += part; });
  EXPECT_EQ(folded, "prog;main:odd (a/utils.py) 1\nprog;main:odd (a/utils.py);[unknown] 3\n");
}

TEST(StackJson, SaysTheSame) {
  StackOptions options;
  options.sort = {stacks::SortKey::pid, stacks::SortKey::symbol, stacks::SortKey::line};
  options.children = options.tree = options.callers = options.callees = true;
  const auto document = nlohmann::json::parse(stack_json(one_of_each(), options));
  const auto& event = document["recording"]["events"][0];
  ASSERT_EQ(event["rows"].size(), 2u);
  EXPECT_EQ(event["rows"][0]["symbol"], "main;odd");
  EXPECT_EQ(event["rows"][0]["line"], "main.c:12");
  EXPECT_EQ(event["rows"][0]["pid"], 7);
  EXPECT_EQ(event["rows"][0]["samples"], 1);
  EXPECT_EQ(event["rows"][0]["all_period"], 40);
  EXPECT_EQ(event["rows"][1]["kernel"], true);
  EXPECT_EQ(event["tree"][1]["parent"], 0);
  EXPECT_EQ(event["callers"].size(), 3u);
  EXPECT_EQ(document["recording"]["events"][1]["samples"], 0);
  EXPECT_EQ(document["recording"]["losses"]["lost_records"], 0);
  EXPECT_EQ(document["recording"]["modules"][1]["reason"], "it is another kernel");
}

// main calls a and c. a calls b each time, and itself up to a depth of three; c calls d.
StackProfile recursive() {
  StackProfile profile;
  profile.events = {{"cycles", 100, 100}};
  profile.names = {"prog"};
  profile.tasks = {{7, 8, 0}};
  profile.modules = {{"prog", "/bin/prog", ""}, {"lib.so", "/lib/lib.so", ""}};
  profile.functions = {{"_start", 1, true, false}, {"main", 0, true, false}, {"a", 0, true, false},
                       {"b", 0, true, false},      {"c", 0, true, false},    {"d", 1, true, false}};
  for (u32 function = 0; function < 6; ++function) profile.places.push_back({function, kNothing});
  // root, _start, main, a, a, a, b below each a, c, d
  profile.nodes = {
      {kNothing, kNothing}, {0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 2}, {3, 3}, {4, 3}, {5, 3}, {2, 4}, {9, 5}};
  const auto sample = [&](u32 node, u64 count) { profile.samples.push_back({0, 0, 0, node, count, count}); };
  sample(3, 10);
  sample(5, 20);
  sample(6, 10);
  sample(7, 10);
  sample(8, 30);
  sample(10, 20);
  profile.has_callers = true;
  return profile;
}

std::string tree_of(const StackProfile& profile, StackOptions options) {
  options.tree = true;
  const std::string text = stack_text(profile, options);
  const usize begin = text.find("call tree");
  return text.substr(begin, text.find("\n\n", begin) + 1 - begin);
}

TEST(StackJson, RowsThatAreLeftOutAreCounted) {
  StackOptions options;
  options.rows = 1;
  options.tables = {{stacks::SortKey::symbol}, {stacks::SortKey::module}};
  const auto event = nlohmann::json::parse(stack_json(recursive(), options))["recording"]["events"][0];
  EXPECT_EQ(event["rows"].size(), 1u);
  EXPECT_EQ(event["rows_in_all"], 3);
  EXPECT_EQ(event["tables"][0].size(), 1u);
  EXPECT_EQ(event["table_rows_in_all"], nlohmann::json({3, 2}));
}

TEST(StackTree, GuidesRecursionAndChains) {
  EXPECT_EQ(tree_of(recursive(), {}),
            "call tree (at least 0.5 %)\n"
            "   all %  self %  function\n"
            "  100.00    0.00  _start (lib.so) → main (prog)\n"
            "   80.00   30.00  ├ a × 3 (prog)\n"
            "   50.00   50.00  │ └ b (prog)\n"
            "   20.00   20.00  └ c (prog) → d (lib.so)\n");
}

TEST(StackTree, ThePercentLimitCuts) {
  StackOptions options;
  options.percent_limit = 50.5;
  EXPECT_EQ(tree_of(recursive(), options),
            "call tree (at least 50.5 %)\n"
            "   all %  self %  function\n"
            "  100.00    0.00  _start (lib.so) → main (prog)\n"
            "   80.00   30.00  └ a × 3 (prog)\n");
}

TEST(StackTree, WhatTheLimitLeavesOutIsNamed) {
  StackProfile profile = recursive();
  profile.events[0].period = 1'000'000;  // the tree has only a hundred of these
  EXPECT_NE(tree_of(profile, {}).find("function\n  everything is below 0.5 %; --percent-limit 0 shows it\n"),
            std::string::npos);
  StackOptions all;
  all.percent_limit = 0;
  EXPECT_EQ(tree_of(profile, all).find("everything is below"), std::string::npos);
  profile.samples = {};
  EXPECT_EQ(tree_of(profile, {}).find("everything is below"), std::string::npos) << "there is nothing";
}

std::vector<std::string> roots_of(const nlohmann::json& tree) {
  std::vector<std::string> roots;
  for (const auto& node : tree) {
    if (!node.contains("parent")) roots.push_back(node["symbol"]);
  }
  return roots;
}

// c has no samples itself; it calls d.
TEST(StackTree, CalleesOfTheFunctionsAskedFor) {
  StackOptions options;
  options.callees = options.relative = true;
  options.filter.symbol = [](std::string_view name) { return name == "c"; };
  options.filter.symbol_text = "c";
  const auto document = nlohmann::json::parse(stack_json(recursive(), options));
  const auto& callees = document["recording"]["events"][0]["callees"];
  EXPECT_EQ(roots_of(callees), std::vector<std::string>{"c"});
  EXPECT_EQ(callees[0]["all_samples"], 20);
  const std::string text = stack_text(recursive(), options);
  EXPECT_NE(text.find("   all %  self %  function\n  100.00  100.00  c (prog) → d (lib.so)\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("no samples of the function"), std::string::npos) << text;
}

TEST(StackTree, TellsThatAFunctionOnlyCallsOthers) {
  StackOptions options;
  options.filter.symbol = [](std::string_view name) { return name == "c"; };
  options.filter.symbol_text = "c";
  const std::string text = stack_text(recursive(), options);
  EXPECT_EQ(text.find("no samples of the function"), std::string::npos) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("note: no sample is in c itself \\([0-9.]+ % including callees\\): "
                                                 "use --children or --callees")))
      << text;
}

TEST(StackTree, RowsWithCalleesAndCallersOfTheFunctionsAskedFor) {
  StackOptions options;
  options.children = true;
  options.filter.symbol = [](std::string_view name) { return name == "a"; };
  options.filter.in_callers = true;  // because of --children
  const auto rows = nlohmann::json::parse(stack_json(recursive(), options))["recording"]["events"][0]["rows"];
  options.callers = options.callees = true;
  const auto event = nlohmann::json::parse(stack_json(recursive(), options))["recording"]["events"][0];
  EXPECT_EQ(event["rows"], rows) << "trees do not change the rows";
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["all_samples"], 80);
  EXPECT_EQ(roots_of(event["callers"]), std::vector<std::string>{"a"});
  EXPECT_EQ(event["callers"][0]["all_samples"], 30) << "samples in the function itself";
  EXPECT_EQ(roots_of(event["callees"]), std::vector<std::string>{"a"});
}

TEST(StackTree, NoLineIsWiderThanTheTerminal) {
  StackProfile profile = recursive();
  profile.functions[1].name = std::string(30, 'm');
  profile.functions[4].name = std::string(90, 'c');
  StackOptions options;
  options.width = 50;
  const std::string text = tree_of(profile, options);
  EXPECT_NE(text.find("_start (lib.so) →\n                  mmmmm"), std::string::npos) << text;
  EXPECT_NE(text.find("ccc..\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n                    d (lib.so)\n"), std::string::npos) << text;
}

TEST(StackTree, CallersOfAFunctionThatCallsItself) {
  StackOptions options;
  options.callers = true;
  options.filter.symbol = [](std::string_view name) { return name == "b"; };
  const std::string text = stack_text(recursive(), options);
  EXPECT_NE(text.find("   50.00  b → a × 3 → main (prog) → _start (lib.so)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace wperf::report
