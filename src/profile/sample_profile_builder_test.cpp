// SPDX-License-Identifier: BSD-3-Clause
#include "profile/sample_profile_builder.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace wperf::profile {
namespace {

constexpr u32 kProcess = 100, kOther = 4;
constexpr u64 kExe = 0x7ff600000000, kDll = 0x7ffa00000000, kDriver = 0xfffff80000000000;

struct Sample {
  u64 time_ns = 0, pc = 0, lr = 0;
  u32 process = kProcess, thread = 1, events = 1;
  u16 core = 1;
  u8 level = 0;
};

// Owns the columns that the spans of SampleColumns show.
struct Capture {
  explicit Capture(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      time_ns.push_back(sample.time_ns);
      pc.push_back(sample.pc);
      lr.push_back(sample.lr);
      process.push_back(sample.process);
      thread.push_back(sample.thread);
      events.push_back(sample.events);
      core.push_back(sample.core);
      level.push_back(sample.level);
    }
  }
  SampleColumns columns() const { return {time_ns, pc, lr, process, thread, events, core, level}; }

  std::vector<u64> time_ns, pc, lr;
  std::vector<u32> process, thread, events;
  std::vector<u16> core;
  std::vector<u8> level;
};

SampleModule module_at(std::string name, u64 base, bool main) {
  SampleModule module;
  module.name = std::move(name);
  module.base = base;
  module.size = 0x10000;
  module.main = main;
  return module;
}

SampleRun run_of_two_modules() {
  SampleRun run;
  run.target.process = kProcess;
  run.target.modules = {module_at("app.exe", kExe, true), module_at("math.dll", kDll, false)};
  run.events = {{.name = "ld_spec", .code = 0x70, .fixed = false, .interval = 100'000}};
  run.end_ns = 3'000'000'000;
  return run;
}

AddressAnswer answer(u32 rva, std::string function, u32 begin, u32 end, u32 line = 0) {
  AddressAnswer out;
  out.rva = rva;
  out.function = function;
  out.function_begin = begin;
  out.function_end = end;
  out.frames = {{.function = std::move(function), .file = line != 0 ? "a.c" : "", .line = line, .inlined = false}};
  out.line_begin = rva & ~0xfu;
  out.line_end = out.line_begin + 0x10;
  return out;
}

using Answers = std::vector<std::vector<AddressAnswer>>;
using Rows = std::vector<std::pair<std::string, u64>>;

Rows rows_of(const SampleProfile& profile, usize event = 0) {
  Rows rows;
  for (const SymbolRow& row : profile.events.at(event).rows) {
    rows.emplace_back(display_name(profile, row.symbol), row.count);
  }
  return rows;
}

TEST(sample_profile_builder, asks_once_for_each_address_of_each_module) {
  const Capture capture({{.pc = kExe + 0x20},
                         {.pc = kDll + 0x30},
                         {.pc = kExe + 0x10},
                         {.pc = kExe + 0x20},
                         {.pc = 0x1234},
                         {.pc = kExe + 0x10000},                    // one past the end
                         {.pc = kExe + 0x30, .process = kOther}});  // somebody else's
  EXPECT_EQ(addresses_to_name(capture.columns(), run_of_two_modules()),
            (std::vector<std::vector<u32>>{{0x10, 0x20}, {0x30}}));
}

TEST(sample_profile_builder, asks_for_the_call_before_a_return_address) {
  const Capture capture({{.pc = kDll + 0x30, .lr = kExe + 0x44}, {.pc = kDll + 0x30, .lr = 0}});
  SampleRun run = run_of_two_modules();
  EXPECT_TRUE(addresses_to_name(capture.columns(), run)[0].empty());
  run.callers = true;
  EXPECT_EQ(addresses_to_name(capture.columns(), run), (std::vector<std::vector<u32>>{{0x40}, {0x30}}));
}

TEST(sample_profile_builder, sums_addresses_of_a_function_and_sorts) {
  const Capture capture({{.pc = kDll + 0x30},
                         {.pc = kDll + 0x34},
                         {.pc = kDll + 0x34},
                         {.pc = kExe + 0x10},
                         {.pc = kExe + 0x18},
                         {.pc = kExe + 0x20}});
  const Answers answers = {{answer(0x10, "work", 0x10, 0x20), answer(0x18, "work", 0x10, 0x20), answer(0x20, "", 0, 0)},
                           {answer(0x30, "mul", 0x30, 0x40), answer(0x34, "mul", 0x30, 0x40)}};
  const SampleProfile profile = make_sample_profile(capture.columns(), run_of_two_modules(), answers);
  EXPECT_EQ(rows_of(profile), (Rows{{"mul:math.dll", 3}, {"work", 2}, {"unknown", 1}}));
  const SampledEvent& event = profile.events[0];
  EXPECT_EQ(event.samples, 6u);
  EXPECT_EQ(event.interval, 100'000u);
  ASSERT_EQ(event.rows[0].pcs.size(), 2u);
  EXPECT_EQ(event.rows[0].pcs[0].address, kDll + 0x34);
  EXPECT_EQ(event.rows[0].pcs[0].count, 2u);
  EXPECT_DOUBLE_EQ(profile.elapsed_seconds, 3.0);
}

TEST(sample_profile_builder, tells_other_processes_from_unknown_addresses_and_the_kernel) {
  const Capture capture({{.pc = 0x1234},
                         {.pc = 0x1238},
                         {.pc = kExe + 0x10, .process = kOther},
                         {.pc = kDriver + 0x10, .process = kOther, .level = 1},
                         {.pc = kExe + 0x14, .process = kOther},
                         {.pc = kDriver + 0x10, .level = 1}});
  const Answers answers = {{answer(0x10, "work", 0x10, 0x20)}, {}};
  const SampleProfile profile = make_sample_profile(capture.columns(), run_of_two_modules(), answers);
  EXPECT_EQ(rows_of(profile), (Rows{{"[other process]", 3}, {"unknown", 2}, {"[kernel]", 1}}));
  EXPECT_TRUE(profile.events[0].rows[0].pcs.empty());
  EXPECT_EQ(profile.events[0].rows[1].pcs.size(), 2u);
}

TEST(sample_profile_builder, kernel_modules_name_kernel_samples_only) {
  const Capture capture({{.pc = kDriver + 0x10, .level = 1}, {.pc = kDriver + 0x10, .level = 0}});
  SampleRun run = run_of_two_modules();
  run.target.modules.push_back(module_at("ntoskrnl.exe", kDriver, false));
  run.target.modules.back().kernel = true;
  const SampleProfile profile =
      make_sample_profile(capture.columns(), run, {{}, {}, {answer(0x10, "KiIdle", 0x10, 0x20)}});
  EXPECT_EQ(rows_of(profile), (Rows{{"KiIdle:ntoskrnl.exe", 1}, {"unknown", 1}}));
}

TEST(sample_profile_builder, one_sample_counts_for_every_event_that_overflowed) {
  const Capture capture({{.pc = kExe + 0x10, .events = 3}, {.pc = kExe + 0x10, .events = 2}, {.pc = 1, .events = 4}});
  SampleRun run = run_of_two_modules();
  run.events.push_back({.name = "cycle", .code = 0x11, .fixed = true, .interval = 1000});
  const SampleProfile profile = make_sample_profile(capture.columns(), run, {{answer(0x10, "work", 0x10, 0x20)}, {}});
  ASSERT_EQ(profile.events.size(), 2u);
  EXPECT_EQ(profile.events[0].name, "cycle");  // the fixed counter first
  EXPECT_EQ(profile.events[0].samples, 2u);
  EXPECT_EQ(profile.events[1].name, "ld_spec");
  EXPECT_EQ(profile.events[1].samples, 1u);
  EXPECT_EQ(profile.target.modules[0].samples, 3u);
}

TEST(sample_profile_builder, events_are_sorted_by_number) {
  SampleRun run = run_of_two_modules();
  run.events = {{.name = "st_spec", .code = 0x71}, {.name = "ld_spec", .code = 0x70}, {.name = "l1d", .code = 4}};
  const SampleProfile profile = make_sample_profile({}, run, {{}, {}});
  EXPECT_EQ(profile.events[0].name, "l1d");
  EXPECT_EQ(profile.events[1].name, "ld_spec");
  EXPECT_EQ(profile.events[2].name, "st_spec");
  EXPECT_TRUE(profile.events[0].rows.empty());
}

TEST(sample_profile_builder, same_name_in_two_modules_stays_apart) {
  const Capture capture({{.pc = kExe + 0x10}, {.pc = kDll + 0x10}, {.pc = kDll + 0x10}});
  const Answers answers = {{answer(0x10, "f", 0x10, 0x20)}, {answer(0x10, "f", 0x10, 0x20)}};
  EXPECT_EQ(rows_of(make_sample_profile(capture.columns(), run_of_two_modules(), answers)),
            (Rows{{"f:math.dll", 2}, {"f", 1}}));
}

TEST(sample_profile_builder, lines_are_those_of_the_function_itself) {
  AddressAnswer inlined = answer(0x14, "work", 0x10, 0x40, 7);
  inlined.frames.insert(inlined.frames.begin(), {.function = "tiny", .file = "tiny.h", .line = 3, .inlined = true});
  const Capture capture(
      {{.pc = kExe + 0x10}, {.pc = kExe + 0x14}, {.pc = kExe + 0x14}, {.pc = kExe + 0x30}, {.pc = kExe + 0x38}});
  const Answers answers = {{answer(0x10, "work", 0x10, 0x40, 7), inlined, answer(0x30, "work", 0x10, 0x40, 9),
                            answer(0x38, "work", 0x10, 0x40)},
                           {}};
  SampleProfile profile = make_sample_profile(capture.columns(), run_of_two_modules(), answers);
  const std::vector<LineRow>& lines = profile.events[0].rows[0].lines;
  ASSERT_EQ(lines.size(), 2u);  // 0x38 has no line
  EXPECT_EQ(lines[0].line, 7u);
  EXPECT_EQ(lines[0].hits, 3u);
  EXPECT_EQ(profile.files[lines[0].file].path, "a.c");
  EXPECT_EQ(lines[0].hot_rva, 0x14u);  // the most frequent of its addresses
  EXPECT_EQ(lines[0].code_begin, 0x10u);
  ASSERT_EQ(lines[0].inlined.size(), 1u);
  EXPECT_EQ(lines[0].inlined[0].function, "tiny");
  EXPECT_EQ(profile.files[lines[0].inlined[0].file].path, "tiny.h");
  EXPECT_EQ(lines[0].inlined[0].hits, 2u);

  const std::vector<CodeBlock> wanted = code_to_disassemble(profile, 50);
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[1].begin, 0x30u);
  EXPECT_TRUE(code_to_disassemble(profile, 0).empty());
  EXPECT_EQ(files_to_read(profile, 50), (std::vector<u32>{lines[0].file}));
  profile.code = wanted;
  EXPECT_EQ(find_code(profile, 0, 0x30, 0x40), &profile.code[1]);
  EXPECT_EQ(find_code(profile, 0, 0x30, 0x3c), nullptr);
}

// main (0x100) calls mul (0x30 in the DLL), which is a leaf, and sum (0x50), which is not.
class callers : public ::testing::Test {
 protected:
  callers() {
    answers_ = {{answer(0x104, "main", 0x100, 0x200)},
                {answer(0x30, "mul", 0x30, 0x40), answer(0x54, "sum", 0x50, 0x80), answer(0x60, "sum", 0x50, 0x80)}};
    answers_[0][0].is_call = true;
    answers_[1][0].return_address_saved = false;
    answers_[1][1].is_call = true;
    run_ = run_of_two_modules();
    run_.callers = true;
  }
  std::vector<std::pair<std::string, std::string>> pairs(const std::vector<Sample>& samples) {
    const Capture capture(samples);
    const SampleProfile profile = make_sample_profile(capture.columns(), run_, answers_);
    std::vector<std::pair<std::string, std::string>> out;
    for (const CallerCount& count : profile.events[0].callers) {
      out.emplace_back(display_name(profile, count.symbol),
                       count.caller == kNone ? "?" : display_name(profile, count.caller));
    }
    return out;
  }
  Answers answers_;
  SampleRun run_;
};
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_F(callers, of_a_leaf_is_where_lr_points) {
  EXPECT_EQ(pairs({{.pc = kDll + 0x30, .lr = kExe + 0x108}}), (Pairs{{"mul:math.dll", "main"}}));
}

TEST_F(callers, of_a_leaf_without_symbol_at_lr_is_not_known) {
  EXPECT_EQ(pairs({{.pc = kDll + 0x30, .lr = 0x99}}), (Pairs{{"mul:math.dll", "?"}}));
}

TEST_F(callers, of_a_non_leaf_is_known_until_it_calls_itself) {
  EXPECT_EQ(pairs({{.pc = kDll + 0x60, .lr = kExe + 0x108}}), (Pairs{{"sum:math.dll", "main"}}));
  EXPECT_EQ(pairs({{.pc = kDll + 0x60, .lr = kDll + 0x58}}), (Pairs{{"sum:math.dll", "?"}}));
}

TEST_F(callers, of_a_non_leaf_must_follow_a_call) {
  answers_[0][0].is_call = false;
  EXPECT_EQ(pairs({{.pc = kDll + 0x60, .lr = kExe + 0x108}}), (Pairs{{"sum:math.dll", "?"}}));
}

TEST_F(callers, come_in_the_order_of_the_rows) {
  const Pairs all = pairs({{.pc = kDll + 0x60, .lr = kDll + 0x58},
                           {.pc = kDll + 0x60, .lr = kExe + 0x108},
                           {.pc = kDll + 0x60, .lr = kExe + 0x108},
                           {.pc = kDll + 0x30, .lr = kExe + 0x108}});
  EXPECT_EQ(all, (Pairs{{"sum:math.dll", "main"}, {"sum:math.dll", "?"}, {"mul:math.dll", "main"}}));
}

TEST(sample_profile_builder, breaks_down_by_process_thread_module_and_core) {
  const Capture capture({{.pc = kExe + 0x10, .thread = 7, .core = 3},
                         {.pc = kDll + 0x10, .thread = 8, .core = 0},
                         {.pc = kDll + 0x14, .thread = 8, .core = 3},
                         {.pc = kDll + 0x14, .process = kOther, .thread = 7, .core = 3}});
  SampleRun run = run_of_two_modules();
  run.processes = {{.process = kProcess, .name = "app.exe"}};
  const SampleProfile profile = make_sample_profile(capture.columns(), run, {{}, {}});
  const SampledEvent& event = profile.events[0];
  ASSERT_EQ(event.processes.size(), 2u);
  EXPECT_EQ(event.processes[0].process, kProcess);
  EXPECT_EQ(event.processes[0].name, "app.exe");
  EXPECT_EQ(event.processes[0].count, 3u);
  EXPECT_EQ(event.processes[1].name, "");
  ASSERT_EQ(event.threads.size(), 3u);
  EXPECT_EQ(event.threads[0].thread, 8u);
  EXPECT_EQ(event.threads[0].count, 2u);
  ASSERT_EQ(event.modules.size(), 3u);
  EXPECT_EQ(event.modules[0].module, 1u);
  EXPECT_EQ(event.modules[0].count, 2u);
  EXPECT_EQ(event.modules[2].kind, SymbolKind::other_process);
  ASSERT_EQ(event.cores.size(), 2u);
  EXPECT_EQ(event.cores[0].core, 0u);
  EXPECT_EQ(event.cores[1].count, 3u);
  EXPECT_EQ(profile.target.modules[1].samples, 2u);
}

TEST(sample_profile_builder, counts_over_time) {
  const Capture capture({{.time_ns = 0, .pc = kExe + 0x10},
                         {.time_ns = 999'999'999, .pc = kExe + 0x10},
                         {.time_ns = 1'000'000'000, .pc = kExe + 0x10},
                         {.time_ns = 9'000'000'000, .pc = kExe + 0x10}});  // after the end: the last slice
  SampleRun run = run_of_two_modules();
  run.slice_ns = 1'000'000'000;
  run.end_ns = 2'500'000'000;
  const SampleProfile profile = make_sample_profile(capture.columns(), run, {{answer(0x10, "work", 0x10, 0x20)}, {}});
  EXPECT_EQ(profile.slices.count, 3u);
  EXPECT_EQ(profile.events[0].rows[0].over_time, (std::vector<u32>{2, 1, 1}));
  run.slice_ns = 1;
  EXPECT_LE(make_sample_profile(capture.columns(), run, {{}, {}}).slices.count, 10'000u);
  run.slice_ns = 0;
  EXPECT_TRUE(make_sample_profile(capture.columns(), run, {{}, {}}).events[0].rows[0].over_time.empty());
}

TEST(sample_profile_builder, adds_up_what_was_lost) {
  SampleRun run = run_of_two_modules();
  run.cores = {{.core = 1, .generated = 100, .lost_ring_full = 7, .lost_filtered = 1},
               {.core = 2, .generated = 50, .lost_ring_full = 0, .lost_filtered = 2}};
  const SampleProfile profile = make_sample_profile({}, run, {{}, {}});
  EXPECT_EQ(profile.samples_generated(), 150u);
  EXPECT_EQ(profile.samples_dropped(), 10u);
}

TEST(sample_profile_builder, every_sample_is_in_exactly_one_row_of_each_table) {
  std::vector<Sample> samples;
  u64 state = 1;
  for (u32 i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const u32 random = static_cast<u32>(state >> 33);
    samples.push_back({.time_ns = random,
                       .pc = kExe + random % 9000 * 4,
                       .lr = kExe + random % 77 * 4,
                       .process = random % 5 == 0 ? kOther : kProcess,
                       .thread = random % 3,
                       .events = 1,
                       .core = static_cast<u16>(random % 8),
                       .level = 0});
  }
  const Capture capture(samples);
  SampleRun run = run_of_two_modules();
  run.callers = true;
  run.slice_ns = 1'000'000;
  Answers answers(2);
  const auto addresses = addresses_to_name(capture.columns(), run);
  for (const u32 rva : addresses[0]) {
    answers[0].push_back(answer(rva, "f" + std::to_string(rva / 64), rva / 64 * 64, rva / 64 * 64 + 64, 1 + rva / 8));
  }
  const SampleProfile profile = make_sample_profile(capture.columns(), run, answers);
  const SampledEvent& event = profile.events[0];
  EXPECT_EQ(event.samples, samples.size());
  const auto sum = [](const auto& rows) {
    u64 total = 0;
    for (const auto& row : rows) total += row.count;
    return total;
  };
  EXPECT_EQ(sum(event.rows), samples.size());
  EXPECT_EQ(sum(event.threads), samples.size());
  EXPECT_EQ(sum(event.processes), samples.size());
  EXPECT_EQ(sum(event.modules), samples.size());
  EXPECT_EQ(sum(event.cores), samples.size());
  EXPECT_EQ(sum(event.callers), sum(event.rows) - event.processes[1].count);
  for (const SymbolRow& row : event.rows) {
    EXPECT_EQ(std::accumulate(row.over_time.begin(), row.over_time.end(), u64{0}), row.count);
    u64 hits = 0;
    for (const LineRow& line : row.lines) hits += line.hits;
    EXPECT_TRUE(hits == row.count || profile.symbols[row.symbol].kind != SymbolKind::function);
  }
}

TEST(source_line, counts_from_one) {
  const SourceFile file{.path = "a.c", .text = "first\r\nsecond\n\nlast"};
  EXPECT_EQ(source_line(file, 1), "first");
  EXPECT_EQ(source_line(file, 2), "second");
  EXPECT_EQ(source_line(file, 3), "");
  EXPECT_EQ(source_line(file, 4), "last");
  EXPECT_EQ(source_line(file, 5), "");
  EXPECT_EQ(source_line(file, 0), "");
}

TEST(place_text, has_an_offset_where_there_is_one) {
  EXPECT_EQ(place_text("mul", 0), "mul");
  EXPECT_EQ(place_text("mul", 0x24), "mul+0x24");
}

}  // namespace
}  // namespace wperf::profile
