// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/compat_view.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "views/compat/code_and_sources.h"

namespace wperf::compat {
namespace {

using stacks::kNothing;
using stacks::StackProfile;

constexpr u32 kProcess = 100, kOther = 4;
constexpr u16 kFixed = 0x11;
using Rows = std::vector<std::pair<std::string, u64>>;

// Makes a profile like the importer; its stacks have at most one caller.
class Made {
 public:
  Made() {
    profile_.events = {{.name = "ld_spec", .type = 4, .code = 0x70, .interval = 100'000}};
    profile_.names = {"app.exe", "svchost.exe"};
    profile_.tasks = {{kProcess, 101, 0}, {kOther, 5, 1}};
    profile_.modules = {{.name = "app.exe", .path = "C:\\app.exe", .reason = {}, .pdb_path = {}, .image_base = 0x1000},
                        {.name = "math.dll", .path = "C:\\math.dll", .reason = "no PDB", .pdb_path = {}},
                        {.name = "[unknown]", .path = {}, .reason = "nobody knows", .is_nowhere = true},
                        {.name = "[kernel]", .path = {}, .reason = "another one"}};
    profile_.functions = {{"work", 0, true},
                          {"mul", 1, true},
                          {"[unknown]", 1, false},
                          {"[unknown]", 2, false},
                          {"[unknown]", 3, false, true},
                          {"mul", 1, true}};
    for (u32 function = 0; function < profile_.functions.size(); ++function) profile_.places.push_back({function});
    profile_.nodes.assign(1, {});
    profile_.site_of_node.assign(1, kNothing);
    profile_.address_of_node.assign(1, 0);
  }

  void sample(u32 function, u64 address, u64 count, u32 task = 0, u32 caller = kNothing, u32 core = 1) {
    u32 parent = 0;
    if (caller != kNothing) parent = node(0, caller, 0);
    profile_.samples.push_back({0, task, core, node(parent, function, address), count, count * 100'000});
    profile_.events[0].samples += count;
  }
  StackProfile& profile() { return profile_; }
  CompatView view(bool callers = false, u32 process = kProcess) {
    answers::SampledRun run;
    run.target.process = process;
    run.target.image_name = "app.exe";
    answers::SampleModule& main = run.target.modules.emplace_back();
    main.name = "app.exe";
    main.path = "C:\\app.exe";
    main.main = true;
    run.processes = {{kProcess, "app.exe"}};
    run.callers = callers;
    return make_view(profile_, std::move(run), kFixed);
  }

 private:
  u32 node(u32 parent, u32 function, u64 address) {
    profile_.nodes.push_back({parent, function});
    profile_.site_of_node.push_back(kNothing);
    profile_.address_of_node.push_back(address);
    return static_cast<u32>(profile_.nodes.size() - 1);
  }
  StackProfile profile_;
};

Rows rows_of(const CompatView& view) {
  Rows rows;
  for (const SymbolRow& row : view.events.at(0).rows) rows.emplace_back(display_name(view, row.symbol), row.count);
  return rows;
}

TEST(CompatRows, SumsTheAddressesOfAFunctionAndSorts) {
  Made made;
  made.sample(1, 0x30, 1);
  made.sample(1, 0x34, 2);
  made.sample(0, 0x10, 2);
  made.sample(1, 0x30, 3, 0, 0);  // the same address with another caller
  const CompatView view = made.view();
  EXPECT_EQ(rows_of(view), (Rows{{"mul:math.dll", 6}, {"work", 2}}));
  ASSERT_EQ(view.events[0].rows[0].pcs.size(), 2u);
  EXPECT_EQ(view.events[0].rows[0].pcs[0].address, 0x30u);
  EXPECT_EQ(view.events[0].rows[0].pcs[0].count, 4u);
  EXPECT_EQ(view.events[0].interval, 100'000u);
  EXPECT_FALSE(view.events[0].fixed);
}

TEST(CompatRows, TwoFunctionsOfOneNameAreTwo) {
  Made made;
  made.sample(1, 0x30, 1);
  made.sample(5, 0x80, 2);
  EXPECT_EQ(rows_of(made.view()), (Rows{{"mul:math.dll", 2}, {"mul:math.dll", 1}}));
}

TEST(CompatRows, TellsOtherProcessesFromUnknownAddressesAndTheKernel) {
  Made made;
  made.sample(2, 0x1234, 1);
  made.sample(3, 0x1238, 1);
  made.sample(0, 0x10, 2, 1);
  made.sample(4, 0xffff'0000'0000'0000, 1, 1);
  made.sample(4, 0xffff'0000'0000'0000, 1);
  const CompatView view = made.view();
  EXPECT_EQ(rows_of(view), (Rows{{"[other process]", 3}, {"unknown", 2}, {"[kernel]", 1}}));
  EXPECT_TRUE(view.events[0].rows[0].pcs.empty());
  EXPECT_EQ(view.events[0].rows[1].pcs.size(), 2u);
  // An address without a name counts for the module that contains it, if any.
  std::vector<std::tuple<u32, SymbolKind, u64>> modules;
  for (const ModuleCount& row : view.events[0].modules) modules.emplace_back(row.module, row.kind, row.count);
  EXPECT_EQ(modules, (std::vector<std::tuple<u32, SymbolKind, u64>>{{kNone, SymbolKind::other_process, 3},
                                                                    {1, SymbolKind::function, 1},
                                                                    {kNone, SymbolKind::unknown, 1},
                                                                    {kNone, SymbolKind::kernel, 1}}));
  EXPECT_EQ(view.run.target.modules[1].samples, 1u);
}

TEST(CompatRows, WhereTheProgramWasNotFoundAllIsUnknown) {
  Made made;
  made.sample(0, 0x10, 2);
  made.sample(2, 0x1234, 1, 1);
  EXPECT_EQ(rows_of(made.view(false, 0)), (Rows{{"unknown", 3}}));
}

TEST(CompatRows, CallersAreTheFramesAround) {
  Made made;
  made.sample(1, 0x30, 3, 0, 0);
  made.sample(1, 0x34, 1, 0, 3);
  made.sample(0, 0x10, 2);
  const CompatView view = made.view(true);
  std::vector<std::pair<std::string, std::string>> callers;
  for (const CallerCount& row : view.events[0].callers) {
    callers.emplace_back(display_name(view, row.symbol), row.caller == kNone ? "-" : display_name(view, row.caller));
  }
  EXPECT_EQ(callers, (std::vector<std::pair<std::string, std::string>>{
                         {"mul:math.dll", "work"}, {"mul:math.dll", "-"}, {"work", "-"}}));
  EXPECT_TRUE(made.view(false).events[0].callers.empty());
}

TEST(CompatRows, LinesAreTheFunctionsOwnWithWhatWasInlinedThere) {
  Made made;
  made.sample(0, 0x7f10, 3);
  made.sample(0, 0x7f14, 1);
  StackProfile& profile = made.profile();
  profile.texts = {"work", "a.c", "helper", "a.h", ""};
  profile.code_frames = {{.function = 2, .file = 3, .line = 7, .is_inlined = true},
                         {.function = 0, .file = 1, .line = 20},
                         {.function = 0, .file = 1, .line = 21}};
  profile.sites = {
      {.function = 0,
       .address = 0x1010,
       .begin = 0x1000,
       .end = 0x1040,
       .first_frame = 0,
       .frame_count = 2,
       .line_begin = 0x1008,
       .line_end = 0x1018},
      {.function = 0, .address = 0x1014, .begin = 0x1000, .end = 0x1040, .first_frame = 2, .frame_count = 1}};
  profile.site_of_node[1] = 0;
  profile.site_of_node[2] = 1;
  const CompatView view = made.view();
  const SymbolRow& row = view.events[0].rows[0];
  ASSERT_EQ(row.lines.size(), 2u);
  EXPECT_EQ(view.files[row.lines[0].file].path, "a.c");
  EXPECT_EQ(row.lines[0].line, 20u);
  EXPECT_EQ(row.lines[0].hits, 3u);
  EXPECT_EQ(row.lines[0].hot_rva, 0x10u);  // linked addresses begin at the image's base
  EXPECT_EQ(row.lines[0].code_begin, 0x8u);
  EXPECT_EQ(row.lines[0].code_end, 0x18u);
  ASSERT_EQ(row.lines[0].inlined.size(), 1u);
  EXPECT_EQ(row.lines[0].inlined[0].function, "helper");
  EXPECT_EQ(row.lines[0].inlined[0].line, 7u);
  EXPECT_EQ(row.lines[1].code_begin, row.lines[1].code_end);
  EXPECT_EQ(files_to_read(view, 50).size(), 1u);
  ASSERT_EQ(code_to_disassemble(view, 50).size(), 1u);
  EXPECT_EQ(code_to_disassemble(view, 50)[0].begin, 0x8u);
}

TEST(CompatRows, SlicesCountEverySampleOnce) {
  Made made;
  made.sample(0, 0x10, 3);
  made.sample(0, 0x10, 1);
  made.profile().slices = {.count = 3, .begin_ns = 0, .length_ns = 5};
  made.profile().slice_counts = {{0, 2, 2, 200'000}, {1, 0, 1, 100'000}, {0, 2, 1, 100'000}};
  const CompatView view = made.view();
  EXPECT_EQ(view.events[0].rows[0].over_time, (std::vector<u32>{1, 0, 3}));
  EXPECT_EQ(view.slices.count, 3u);
}

TEST(CompatRows, TheFixedCounterComesFirst) {
  Made made;
  made.profile().events.push_back({.name = "cycle", .type = 4, .code = kFixed, .interval = 5});
  const CompatView view = made.view();
  EXPECT_EQ(view.events[0].name, "cycle");
  EXPECT_TRUE(view.events[0].fixed);
}

// Like the profiles of analysis/operations: places and threads are counted separately.
TEST(CompatRows, OfOperationsThreadsAndPlacesAreCountedApart) {
  StackProfile profile;
  profile.events = {{.name = "LOAD"}, {.name = "OTHER"}};
  profile.modules.resize(3);
  profile.modules[2].is_nowhere = true;
  profile.functions = {{"[other process]", 2}, {"unknown", 2}, {"unknown", 1}, {"mul", 1, true}};
  profile.places = {{0}, {1}, {2}, {3}};
  profile.nodes = {{.place = 0}, {.parent = 0, .place = 3}, {.parent = 0, .place = 2}, {.parent = 0, .place = 1}};
  profile.site_of_node.assign(4, kNothing);
  profile.address_of_node = {0, 0x30, 0x34, 0};
  profile.samples = {{.event = 0, .node = 1, .count = 1},
                     {.event = 1, .node = 0, .count = 1},
                     {.event = 1, .node = 2, .count = 2},
                     {.event = 1, .node = 3, .count = 4},
                     {.event = 1, .node = 0, .count = 2}};
  answers::SampledRun run;
  run.of_operations = true;
  run.target.modules.resize(2);
  run.target.modules[0].name = "app.exe";
  run.target.modules[0].main = true;
  run.target.modules[1].name = "b.dll";
  run.owners = {{.event = 0, .core = 1, .thread = u64{7} << 32 | 8, .count = 1},
                {.event = 1, .core = 2, .thread = {}, .count = 9}};
  const CompatView view = make_view(profile, run);
  ASSERT_EQ(view.events.size(), 2u);
  EXPECT_EQ(view.events[0].name, "OTHER");  // has the most samples
  EXPECT_EQ(rows_of(view), (Rows{{"unknown", 6}, {"[other process]", 3}}));
  EXPECT_EQ(view.events[0].rows[0].pcs.size(), 2u);
  EXPECT_TRUE(view.events[0].rows[1].pcs.empty());
  EXPECT_TRUE(view.events[0].threads.empty());
  EXPECT_EQ(view.events[0].cores.at(0).core, 2u);
  EXPECT_EQ(view.events[1].threads.at(0).thread, 8u);
  EXPECT_EQ(view.events[1].processes.at(0).process, 7u);
  EXPECT_EQ(display_name(view, view.events[1].rows[0].symbol), "mul:b.dll");
  EXPECT_EQ(view.run.target.modules[1].samples, 3u);
}

}  // namespace
}  // namespace wperf::compat
