// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/made_profile.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"

namespace wperf::pgo {
namespace {

Binary binary_of(std::string name, std::string build_id, u64 samples, u64 branches) {
  Binary binary;
  binary.name = std::move(name);
  binary.build_id = std::move(build_id);
  binary.samples[0] = {{0x1000, samples}};
  binary.functions[0x1000] = {.name = "work", .end = 0x1010, .elf_symbol = "work"};
  if (branches == 0) return binary;
  binary.branches[{0x1004, 0x1000}] = {branches, 0};
  binary.ranges[{0x1000, 0x1004}] = branches;
  return binary;
}

ProfileFacts facts_of(const ProfileCounts& counts) {
  auto made = make_profile(counts, &counts.binaries.front(),
                           {.format = request::PgoFormat::bolt, .file = "x.fdata", .binary = {}, .folders = {}});
  EXPECT_TRUE(made.has_value());
  return made.has_value() ? std::move(made).value().facts : ProfileFacts();
}

TEST(MadeProfile, OtherBuildsAreNotOtherBinaries) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 111}};
  counts.binaries = {binary_of("program", "01", 1, 0), binary_of("program", "02", 10, 0),
                     binary_of("libc", "03", 100, 0)};
  const ProfileFacts facts = facts_of(counts);
  EXPECT_EQ(facts.of_other_builds, 10);
  EXPECT_EQ(facts.of_other_binaries, 100);
  EXPECT_EQ(facts.all_branches, 0);
}

TEST(MadeProfile, WithBranchStacksBranchesAreTheWhole) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 111}};
  counts.binaries = {binary_of("program", "01", 1, 2), binary_of("program", "02", 10, 20),
                     binary_of("libc", "03", 100, 200)};
  counts.drops.branches_elsewhere = 2000;
  counts.drops.branches_without_file = 20000;
  const ProfileFacts facts = facts_of(counts);
  EXPECT_EQ(facts.used, 2);
  EXPECT_EQ(facts.of_other_builds, 20);
  EXPECT_EQ(facts.of_other_binaries, 200);
  EXPECT_EQ(facts.all_branches, 22222);
}

diag::Result<MadeProfile> made_for(const ProfileCounts& counts, request::PgoFormat format) {
  return make_profile(counts, format == request::PgoFormat::spt ? nullptr : &counts.binaries.front(),
                      {.format = format, .file = "x", .binary = {}, .folders = {}});
}

TEST(MadeProfile, BoltNumbersLocalSymbols) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 5}};
  counts.binaries = {binary_of("program", "01", 5, 0)};
  CountedFunction& function = counts.binaries[0].functions[0x1000];
  const auto line = [&] { return made_for(counts, request::PgoFormat::bolt).value().bytes; };
  EXPECT_TRUE(line().contains("\n1 work 0 5\n")) << line();
  function.local_number = 2;
  EXPECT_TRUE(line().contains("\n1 work/2 0 5\n")) << line();
}

TEST(MadeProfile, WithoutSymbolsThereIsNoProfileForBolt) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 5}};
  counts.binaries = {binary_of("program", "01", 5, 0)};
  counts.binaries[0].functions[0x1000].elf_symbol.clear();
  const auto made = made_for(counts, request::PgoFormat::bolt);
  ASSERT_FALSE(made.has_value());
  EXPECT_TRUE(diag::names_all(made.error().text + made.error().hint, {"no sample of program", "-Wl,-q"}));
}

TEST(MadeProfile, FilesOfOneNameInTwoFoldersAreNotBuilds) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 11}};
  counts.binaries = {binary_of("plugin.so", "01", 1, 0), binary_of("plugin.so", "02", 10, 0)};
  counts.binaries[1].path = "/b/plugin.so";
  const ProfileFacts facts = facts_of(counts);
  EXPECT_EQ(facts.of_other_builds, 0);
  EXPECT_EQ(facts.of_other_binaries, 10);
}

TEST(MadeProfile, SamplesOfTheKernelAreNotForMsvc) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 3}};
  counts.samples = counts.drops.kernel = 3;
  const auto made = made_for(counts, request::PgoFormat::spt);
  ASSERT_FALSE(made.has_value());
  EXPECT_TRUE(diag::names_all(made.error().text, {"all 3 samples are in the kernel"}));
}

}  // namespace
}  // namespace wperf::pgo
