// SPDX-License-Identifier: BSD-3-Clause
// How many events fit into a group, on PMUs simulated by the test.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "machine/perf_events/counter_linux.h"

namespace wperf::perf_events {
namespace {

// A PMU as Linux uses it.
struct Pmu {
  u32 counters = 0;
  bool own_cycle_counter = true;  // in addition to the others
  bool has_branch_misses = true, has_instructions = true;
  bool adds_up_what_is_on = false;  // like Arm's driver, which ignores an event that is and stays disabled
};
Pmu pmu;
u32 taken = 0, cycle_counters_taken = 0;

Descriptor refuse(int error) {
  errno = error;
  return {};
}

Descriptor open_on_pmu(perf_event_attr& attributes, Scope, int leader) {
  const u64 event = attributes.config;
  if (event == PERF_COUNT_HW_BRANCH_MISSES && !pmu.has_branch_misses) return refuse(ENOENT);
  if (event == PERF_COUNT_HW_INSTRUCTIONS && !pmu.has_instructions) return refuse(ENOENT);
  if (leader < 0) taken = cycle_counters_taken = 0;
  const bool goes_unseen = pmu.adds_up_what_is_on && attributes.disabled != 0 && attributes.enable_on_exec == 0;
  const bool on_its_own = event == PERF_COUNT_HW_CPU_CYCLES && pmu.own_cycle_counter && cycle_counters_taken == 0;
  if (!goes_unseen) {
    if (!on_its_own && taken == pmu.counters) return refuse(EINVAL);
    (on_its_own ? cycle_counters_taken : taken) += 1;
  }
  return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

constexpr u32 kMost = 32;

TEST(GreatestGroup, HasAMemberForEachCounter) {
  pmu = {.counters = 4};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), 4u);
  pmu = {.counters = 100};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), kMost);
  pmu = {};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), 0u);
}

TEST(GreatestGroup, IsFoundWhereBranchMissesAreNotCounted) {
  pmu = {.counters = 6, .has_branch_misses = false};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), 6u);
  pmu = {.counters = 6, .has_branch_misses = false, .has_instructions = false};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), 6u) << "without the counter that only counts cycles";
}

TEST(GreatestGroup, CountsItsLeaderOnArm) {
  pmu = {.counters = 6, .adds_up_what_is_on = true};
  EXPECT_EQ(greatest_group(kMost, open_on_pmu), 6u);
}

}  // namespace
}  // namespace wperf::perf_events
