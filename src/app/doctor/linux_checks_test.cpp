// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/linux_checks.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all.h"

namespace wperf::doctor {
namespace {

using answers::Check;
using answers::CheckStatus;

linux_kernel::LinuxFacts good_machine() {
  linux_kernel::LinuxFacts facts;
  facts.release = "6.1.0";
  facts.paranoid = 0;
  facts.kptr_restrict = 0;
  facts.own_programs = facts.own_kernel = facts.whole_cores = facts.scheduler = true;
  facts.most_samples = 100000;
  facts.cycles = 1234;
  facts.core_units = {"armv8_pmuv3_0"};
  facts.tracefs = "/sys/kernel/tracing";
  facts.kernel_names = facts.debug_files = true;
  return facts;
}

Check check_named(const linux_kernel::LinuxFacts& facts, std::string_view name) {
  for (const Check& check : linux_checks(facts)) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

TEST(LinuxChecks, AMachineWithEverything) {
  for (const Check& check : linux_checks(good_machine())) {
    EXPECT_EQ(check.status, CheckStatus::ok) << check.name;
    EXPECT_FALSE(check.detail.empty()) << check.name;
  }
}

TEST(LinuxChecks, RightsAsTried) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.paranoid = 2;
  EXPECT_EQ(check_named(facts, "rights").status, CheckStatus::ok) << "whatever the setting says";
  facts.whole_cores = facts.scheduler = false;
  EXPECT_EQ(check_named(facts, "rights").status, CheckStatus::warn);
  EXPECT_EQ(check_named(facts, "rights").detail,
            "your own programs, kernel included; not whole cores (kernel.perf_event_paranoid is 2)");
  facts.own_kernel = false;
  facts.paranoid = 3;
  EXPECT_EQ(check_named(facts, "rights").status, CheckStatus::warn) << "3 means nothing to kernels that stop at 2";
  EXPECT_EQ(check_named(facts, "rights").fix,
            "for more: root, the capability CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0");
  facts.own_programs = false;
  EXPECT_EQ(check_named(facts, "rights").status, CheckStatus::fail);
  EXPECT_EQ(check_named(facts, "rights").fix,
            "root, the capability CAP_PERFMON, or sysctl kernel.perf_event_paranoid=2");
  facts.paranoid = 1;
  EXPECT_NE(check_named(facts, "rights").fix.find("sandbox"), std::string::npos);
}

TEST(LinuxChecks, ARootWithoutRightsIsNotToldToBecomeRoot) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.paranoid = 2;
  facts.is_root = true;
  facts.whole_cores = facts.own_kernel = false;
  const Check rights = check_named(facts, "rights");
  EXPECT_EQ(rights.status, CheckStatus::warn);
  EXPECT_NE(rights.fix.find("CAP_PERFMON for the whole system"), std::string::npos) << rights.fix;
}

TEST(LinuxChecks, WhyKernelNamesAreHidden) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.kernel_names = false;
  facts.paranoid = 2;
  EXPECT_NE(check_named(facts, "kernel names").detail.find("kernel.perf_event_paranoid is 2"), std::string::npos);
  EXPECT_EQ(check_named(facts, "kernel names").fix.find("kptr_restrict"), std::string::npos) << "it is 0 already";
  facts.kptr_restrict = 1;
  EXPECT_NE(check_named(facts, "kernel names").detail.find("kernel.kptr_restrict is 1"), std::string::npos);
  EXPECT_NE(check_named(facts, "kernel names").fix.find("root"), std::string::npos);
  facts.kptr_restrict = 2;
  EXPECT_EQ(check_named(facts, "kernel names").fix, "sysctl kernel.kptr_restrict=0") << "hidden from root, too";
}

TEST(LinuxChecks, NoPerfEventsAtAll) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.paranoid.reset();
  const auto checks = linux_checks(facts);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].status, CheckStatus::fail);
}

TEST(LinuxChecks, WhatIsMissingIsAWarningWithAWayOut) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.counter_trouble = "No such file or directory";
  facts.most_samples = 1000;
  facts.tracefs.clear();
  facts.kernel_names = facts.debug_files = false;
  for (const char* name : {"pmu", "rate", "tracepoints", "kernel names", "debug files"}) {
    EXPECT_EQ(check_named(facts, name).status, CheckStatus::warn) << name;
    EXPECT_FALSE(check_named(facts, name).fix.empty()) << name;
  }
}

// Mounting it once more does not help.
TEST(LinuxChecks, TracefsThatIsThereAndMayNotBeRead) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.tracefs.clear();
  EXPECT_NE(check_named(facts, "tracepoints").fix.find("mount -t tracefs"), std::string::npos);
  facts.tracefs_mount = "/sys/kernel/tracing";
  const Check check = check_named(facts, "tracepoints");
  EXPECT_EQ(check.detail.find("tracefs is mounted in /sys/kernel/tracing, and this user may not read it"), 0u);
  EXPECT_EQ(check.fix, "run as root, or let root make it readable: mount -o remount,mode=755 /sys/kernel/tracing");
}

TEST(LinuxChecks, WhoMayMeasureNothingIsNotToldOfVirtualMachines) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.paranoid = 3;
  facts.counter_trouble = "Permission denied";
  facts.whole_cores = facts.own_kernel = facts.own_programs = facts.scheduler = false;
  const Check pmu = check_named(facts, "pmu");
  EXPECT_EQ(pmu.status, CheckStatus::warn);
  EXPECT_TRUE(diag::names_all(pmu.detail, {"cycle counter", "(Permission denied)"}));
  EXPECT_TRUE(diag::names_all(pmu.fix, {"`rights`"}));
}

TEST(LinuxChecks, TellsWhetherServersHaveDebugFiles) {
  linux_kernel::LinuxFacts facts = good_machine();
  EXPECT_NE(check_named(facts, "debug files").detail.find("has no servers"), std::string::npos);
  facts.debug_servers = true;
  EXPECT_NE(check_named(facts, "debug files").detail.find("ask the servers"), std::string::npos);
}

}  // namespace
}  // namespace wperf::doctor
