// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/run_facts.h"

#include <gtest/gtest.h>

#include <span>

namespace wperf::perf_data {
namespace {

using namespace std::string_literals;

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(RunFacts, AreReadAsTheyWereWritten) {
  RunFacts facts;
  facts.windows = true;
  facts.image_name = "a b.exe";
  facts.pe_file = "C:\\x\\a b.exe";
  facts.process = 4096;
  facts.start_ns = 5;
  facts.end_ns = ~u64{0};
  facts.begun_unix_ns = 1700000000000000000;
  facts.cpu_ns = 0;
  facts.program_ns = 12;
  facts.exit_code = 3;
  facts.note = "one\nof two lines";
  facts.cores = {{1, 20, 3, 4, 5, 6}, {7, 0, 0, 0, 0, 0}};
  facts.spe_cores = {{2, 0x411fd490, 1, 2, 3, 4, true}, {3, 0, 0, 0, 0, 0, false}};
  facts.counted = CountedFacts{.kernel = true,
                               .has_cycles = true,
                               .cores = 2,
                               .counters = 6,
                               .start_ns = 4,
                               .end_ns = 9,
                               .vendor = "Arm Limited",
                               .units = {{2, 0, ~u64{0}}, {}, {3}}};
  facts.stacks = {.cut = 9, .by_pointers = 11};
  facts.python = {.versions = "3.14", .joined = 12, .without_stack = 13, .new_thread = 15, .early = 16, .cut = 14};
  facts.switch_cost_ns = 1300;
  facts.recorder = 77;
  facts.mapped_files = {{12, 34, std::string("\0\xfe\x10", 3), "/a file"}, {~u64{0}, 0, "", "/replaced"}};
  const std::string bytes = run_facts_bytes(facts);
  const auto read = read_run_facts(bytes_of(bytes));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->spe_cores.size(), 2u);
  EXPECT_EQ(read->spe_cores[0].midr, 0x411fd490u);
  EXPECT_EQ(read->spe_cores[0].data_losses, 4u);
  EXPECT_TRUE(read->spe_cores[0].faulted);
  ASSERT_TRUE(read->counted.has_value());
  EXPECT_EQ(read->counted->vendor, "Arm Limited");
  EXPECT_EQ(read->counted->counters, 6u);
  EXPECT_EQ(read->counted->units, facts.counted->units);
  EXPECT_EQ(run_facts_bytes(*read), bytes);
  EXPECT_EQ(read->switch_cost_ns, 1300u);
  EXPECT_EQ(read->recorder, 77u);
  ASSERT_EQ(read->mapped_files.size(), 2u);
  EXPECT_EQ(read->mapped_files[0].inode_generation, 34u);
  EXPECT_EQ(read->mapped_files[0].build_id, std::string("\0\xfe\x10", 3));
  EXPECT_EQ(read->mapped_files[0].path, "/a file");
  EXPECT_EQ(read->mapped_files[1].inode, ~u64{0});
  EXPECT_TRUE(read->mapped_files[1].build_id.empty());
  EXPECT_TRUE(read->windows);
  EXPECT_EQ(read->image_name, "a b.exe");
  EXPECT_EQ(read->pe_file, "C:\\x\\a b.exe");
  EXPECT_EQ(read->process, 4096u);
  EXPECT_EQ(read->end_ns, ~u64{0});
  EXPECT_EQ(read->begun_unix_ns, facts.begun_unix_ns);
  EXPECT_EQ(read->cpu_ns, 0u) << "none at all is known, too";
  EXPECT_EQ(read->program_ns, 12u);
  EXPECT_EQ(read->exit_code, 3u);
  EXPECT_EQ(read->note, "one\nof two lines");
  ASSERT_EQ(read->cores.size(), 2u);
  EXPECT_EQ(read->cores[0].held_back, 5u);
  EXPECT_EQ(read->cores[0].register_losses, 6u);
  EXPECT_EQ(read->stacks.cut, 9u);
  EXPECT_EQ(read->stacks.by_pointers, 11u);
  EXPECT_EQ(read->python.versions, "3.14");
  EXPECT_EQ(read->python.joined, 12u);
  EXPECT_EQ(read->python.without_stack, 13u);
  EXPECT_EQ(read->python.cut, 14u);
  EXPECT_EQ(read->python.new_thread, 15u);
  EXPECT_EQ(read->python.early, 16u);
}

TEST(RunFacts, OfOthersAreNone) {
  EXPECT_FALSE(read_run_facts({}).has_value());
  EXPECT_FALSE(read_run_facts(bytes_of("perf.run\0"s)).has_value());
  EXPECT_FALSE(read_run_facts(bytes_of("wperf.run\0"
                                       "2\0"s))
                   .has_value());
}

TEST(RunFacts, WhatMakesNoSenseIsLeftOut) {
  const std::string begin =
      "wperf.run\0"
      "1\0"s;
  const auto facts = read_run_facts(bytes_of(begin + "process\0"s + "x12\0core\0001 2\0core\0"s));
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->process, 0u);
  EXPECT_TRUE(facts->cores.empty());
  const auto counted = read_run_facts(bytes_of(begin + "counted_unit\0001\0counted\0001 1 1\0spe_core\0001 2 x\0"s));
  EXPECT_FALSE(counted->counted.has_value());
  EXPECT_TRUE(counted->spe_cores.empty());
  const auto reversed = read_run_facts(bytes_of(begin + "start_ns\0009\000end_ns\0002\0"s));
  EXPECT_EQ(reversed->start_ns, reversed->end_ns);
}

TEST(RunFacts, PdbsHaveNames) {
  const std::string one("\x01\xff", 2), other("\x02\x00", 2);
  std::string section;
  append_pdb_name(section, bytes_of(one), "ntkrnlmp.pdb");
  append_pdb_name(section, bytes_of(other), "wntdll.pdb");
  EXPECT_EQ(pdb_name_of(bytes_of(section), bytes_of(one)), "ntkrnlmp.pdb");
  EXPECT_EQ(pdb_name_of(bytes_of(section), bytes_of(other)), "wntdll.pdb");
  EXPECT_EQ(pdb_name_of(bytes_of(section), bytes_of("\x03"s)), "");
  EXPECT_EQ(pdb_name_of(bytes_of("02"s), bytes_of(other)), "") << "cut";
  EXPECT_EQ(pdb_name_of({}, bytes_of(other)), "");
}

}  // namespace
}  // namespace wperf::perf_data
