// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/chosen_binary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ground/diag/names_all_test.h"

namespace wperf::pgo {
namespace {

Binary binary_of(std::string path, u64 samples, std::string build_id = {}) {
  Binary binary;
  binary.name = path.substr(path.rfind('/') + 1);
  binary.path = std::move(path);
  binary.build_id = std::move(build_id);
  binary.samples[0] = {{0x1000, samples}};
  return binary;
}

ProfileCounts counts_of(std::vector<Binary> binaries) {
  ProfileCounts counts;
  counts.events = {{.name = "cycles", .kind = EventKind::cycles, .samples = 1}};
  counts.binaries = std::move(binaries);
  return counts;
}

NamedBinary named(const std::string& given, const std::string& path = {}, const std::string& build_id = {}) {
  return {.given = given, .name = given.substr(given.rfind('/') + 1), .path = path, .build_id = build_id};
}

// The path of the binary, or the error.
std::string chosen(const ProfileCounts& counts, const std::optional<NamedBinary>& binary) {
  const auto found = choose_binary(counts, {0}, binary);
  return found.has_value() ? found.value()->path : found.error().text + " / " + found.error().hint;
}

TEST(ChosenBinary, AFileIsChosenByWhatItIs) {
  const std::string folder = testing::TempDir() + "chosen_binary";
  std::filesystem::create_directories(folder + "/a");
  std::filesystem::create_directories(folder + "/b");
  const std::string a = folder + "/a/plugin.so", b = folder + "/b/plugin.so";
  for (const std::string& path : {a, b}) std::ofstream(path) << path;
  const ProfileCounts counts = counts_of({binary_of(a, 3), binary_of(b, 2)});
  EXPECT_EQ(chosen(counts, named(b, b)), b);
  EXPECT_EQ(chosen(counts, named(a, a)), a);
  const std::string roundabout = folder + "/a/../b/plugin.so";
  EXPECT_EQ(chosen(counts, named(roundabout, roundabout)), b);
  for (const auto& one : {named("plugin.so"), named(folder + "/plugin.so", folder)}) {
    EXPECT_TRUE(diag::names_all(chosen(counts, one), {"several files named plugin.so", a + ",", b})) << one.given;
  }
}

TEST(ChosenBinary, AFileOfAnotherMachineIsChosenByItsPath) {
  const ProfileCounts counts = counts_of({binary_of("/nowhere/a/p", 3), binary_of("/nowhere/b/p", 2)});
  EXPECT_EQ(chosen(counts, named("/nowhere/b/p")), "/nowhere/b/p");
  EXPECT_TRUE(diag::names_all(chosen(counts, named("/nowhere/c/p")), {"there is no file /nowhere/c/p"}));
  EXPECT_TRUE(diag::names_all(chosen(counts, named("q")), {"no sample was taken in q", "/nowhere/a/p, /nowhere/b/p"}));
}

TEST(ChosenBinary, ABuildIdDecides) {
  const ProfileCounts counts = counts_of({binary_of("/x/a/p", 3, "0a"), binary_of("/x/b/p", 2, "0b")});
  EXPECT_EQ(chosen(counts, named("/elsewhere/p", "/elsewhere/p", "0b")), "/x/b/p");
  const ProfileCounts one = counts_of({binary_of("/x/a/p", 3, "0a")});
  EXPECT_TRUE(diag::names_all(chosen(one, named("/y/p", "/y/p", "0c")), {"is a different build", "0c instead of 0a"}));
  EXPECT_EQ(chosen(one, named("p")), "/x/a/p");
}

TEST(ChosenBinary, SaysWhereTheSamplesAre) {
  ProfileCounts counts = counts_of({});
  counts.samples = counts.drops.kernel = 274;
  EXPECT_TRUE(diag::names_all(chosen(counts, named("dd")), {"all 274 samples are in the kernel", ":k"}));
  EXPECT_TRUE(diag::names_all(chosen(counts, std::nullopt), {"all 274 samples are in the kernel"}));
  ++counts.samples;
  EXPECT_TRUE(diag::names_all(chosen(counts, std::nullopt), {"none of the 275 samples is in a program or library"}));
  counts.samples = 0;
  EXPECT_TRUE(diag::names_all(chosen(counts, std::nullopt), {"no samples in a program or library", "wperf record"}));
}

}  // namespace
}  // namespace wperf::pgo
