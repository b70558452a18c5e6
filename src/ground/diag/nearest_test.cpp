// SPDX-License-Identifier: BSD-3-Clause
#include "ground/diag/nearest.h"

#include <gtest/gtest.h>

namespace wperf::diag {
namespace {

constexpr std::string_view kCommands[] = {"stat", "sample", "record", "report", "list", "test", "man"};
constexpr std::string_view kEvents[] = {"cpu-cycles", "cycles", "instructions", "page-faults"};
constexpr std::string_view kArmEvents[] = {"inst_retired", "cpu_cycles", "l1d_cache", "l1d_cache_refill"};
constexpr std::string_view kOptions[] = {"-e", "-k", "-C", "--timeout", "--tree"};

TEST(Nearest, SlipsOfTheFinger) {
  EXPECT_EQ(nearest("reprot", kCommands), "report");
  EXPECT_EQ(nearest("recrod", kCommands), "record");
  EXPECT_EQ(nearest("lst", kCommands), "list");
  EXPECT_EQ(nearest("STAT", kCommands), "stat");
  EXPECT_EQ(nearest("cyclez", kEvents), "cycles");
  EXPECT_EQ(nearest("instrutcions", kEvents), "instructions");
  EXPECT_EQ(nearest("page_fault", kEvents), "page-faults");
  EXPECT_EQ(nearest("--timeuot", kOptions), "--timeout");
  EXPECT_EQ(nearest("-K", kOptions), "-k");
}

TEST(Nearest, TheEndOfANameWithUnderlines) {
  EXPECT_EQ(nearest("cyclez", kArmEvents), "cpu_cycles");
  EXPECT_EQ(nearest("cycle", kArmEvents), "cpu_cycles");
  EXPECT_EQ(nearest("cycle", kEvents), "cycles");
  EXPECT_EQ(nearest("cache_refill", kArmEvents), "l1d_cache_refill");
  EXPECT_EQ(nearest("l1d_cachee", kArmEvents), "l1d_cache");
  constexpr std::string_view kCycles[] = {"backend_stalled_cycles", "bus_cycles", "cpu_cycles", "stall_cycles"};
  EXPECT_EQ(nearest("cycles", kCycles), "cpu_cycles");
  constexpr std::string_view kOthers[] = {"backend_stalled_cycles", "bus_cycles", "stall_cycles"};
  EXPECT_EQ(nearest("cycles", kOthers), "bus_cycles");
}

TEST(Nearest, NothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("topdown", kCommands), "");
  EXPECT_EQ(nearest("-x", kOptions), "");
  EXPECT_EQ(nearest("", kCommands), "");
  EXPECT_EQ(nearest("stat", {}), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 's'), kCommands), "");
  EXPECT_EQ(did_you_mean(""), "");
  EXPECT_EQ(did_you_mean("stat"), "did you mean stat?");
}

}  // namespace
}  // namespace wperf::diag
