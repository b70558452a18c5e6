// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "app/doctor/doctor.h"
#include "ground/diag/names_all_test.h"

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

TEST(LinuxChecks, RootWithoutRightsIsNotAskedToBecomeRoot) {
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
  facts.counter_error = "the kernel offers none on this machine";
  facts.most_samples = 1000;
  facts.tracefs.clear();
  facts.kernel_names = facts.debug_files = false;
  for (const char* name : {"pmu", "rate", "tracepoints", "kernel names", "debug files"}) {
    EXPECT_EQ(check_named(facts, name).status, CheckStatus::warn) << name;
    EXPECT_FALSE(check_named(facts, name).fix.empty()) << name;
  }
}

// If tracefs is mounted but not readable, mounting it again does not help.
TEST(LinuxChecks, TracefsThatIsThereAndMayNotBeRead) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.tracefs.clear();
  EXPECT_NE(check_named(facts, "tracepoints").fix.find("mount -t tracefs"), std::string::npos);
  facts.tracefs_mount = "/sys/kernel/tracing";
  const Check check = check_named(facts, "tracepoints");
  EXPECT_EQ(check.detail.find("tracefs is mounted in /sys/kernel/tracing, and this user may not read it"), 0u);
  EXPECT_EQ(check.fix, "run as root, or let root make it readable: mount -o remount,mode=755 /sys/kernel/tracing");
}

TEST(LinuxChecks, NoPermissionGivesNoVirtualMachineHint) {
  linux_kernel::LinuxFacts facts = good_machine();
  facts.paranoid = 3;
  facts.counter_error = "Permission denied";
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

namespace {

using answers::Check;
using answers::CheckStatus;
using os::WindowsFacts;
using windows::DriverFacts;

// A laptop with the driver installed, trusted and running.
WindowsFacts good_windows() {
  WindowsFacts facts;
  facts.version = "10.0.26100";
  facts.machine = "ARM64";
  facts.program = "ARM64";
  facts.model = "Contoso Laptop 1";
  facts.test_signing = false;
  facts.secure_boot = true;
  facts.memory_integrity = true;
  facts.administrator = true;
  return facts;
}

DriverFacts good_driver() {
  DriverFacts facts;
  facts.service_installed = true;
  facts.running = true;
  facts.file = R"(C:\Windows\System32\drivers\wperf-driver.sys)";
  facts.file_exists = true;
  facts.signature_known = true;
  facts.file_signed = true;
  facts.signature_trusted = true;
  facts.signer = "Microsoft Windows Hardware Compatibility Publisher";
  facts.device_problem = 0;
  return facts;
}

Check find(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

Check check_of(const std::string& name, const WindowsFacts& windows, const DriverFacts& driver, bool works) {
  return find(windows_checks(windows, driver, works), name);
}

bool mentions(const Check& check, const std::string& text) {
  return (check.detail + "\n" + check.fix).find(text) != std::string::npos;
}

TEST(WindowsChecks, NothingIsWrongOnAMachineThatWorks) {
  for (const Check& check : windows_checks(good_windows(), good_driver(), true)) {
    EXPECT_EQ(check.status, CheckStatus::ok) << check.name << ": " << check.detail;
    EXPECT_TRUE(check.fix.empty()) << check.name;
  }
}

TEST(WindowsChecks, EveryFailureNamesAWayOut) {
  WindowsFacts windows;
  windows.machine = "x64";
  for (const Check& check : windows_checks(windows, {}, false)) {
    EXPECT_TRUE(check.status != CheckStatus::fail || !check.fix.empty()) << check.name;
  }
}

TEST(WindowsChecks, DriverThatIsNotInstalled) {
  const Check check = check_of("installed", good_windows(), {}, false);
  EXPECT_EQ(check.status, CheckStatus::fail);
  EXPECT_TRUE(mentions(check, "not installed"));
  EXPECT_TRUE(mentions(check, "wperf-devgen install"));
}

TEST(WindowsChecks, DriverOfWindowsPerfIsNamedAndStandsForNothing) {
  DriverFacts driver;
  driver.others = {{.instance_id = "ROOT\\SYSTEM\\0001", .hardware_ids = "Root\\WPERFDRIVER"}};
  const auto checks = windows_checks(good_windows(), driver, false);
  EXPECT_EQ(find(checks, "installed").status, CheckStatus::fail);
  EXPECT_TRUE(mentions(find(checks, "windowsperf"), "ROOT\\SYSTEM\\0001"));
  EXPECT_EQ(find(checks, "windowsperf").status, CheckStatus::ok);
}

TEST(WindowsChecks, DeviceManagerProblemsAreExplained) {
  DriverFacts driver = good_driver();
  driver.running = false;
  driver.device_problem = 52;
  EXPECT_TRUE(mentions(check_of("installed", good_windows(), driver, false), "signature"));
  driver.device_problem = 22;
  EXPECT_TRUE(mentions(check_of("installed", good_windows(), driver, false), "disabled"));
  driver.device_problem = 12345;
  EXPECT_TRUE(mentions(check_of("installed", good_windows(), driver, false), "12345"));
}

TEST(WindowsChecks, StoppedServiceTellsWhyItsStartFailed) {
  DriverFacts driver = good_driver();
  driver.running = false;
  driver.device_problem.reset();
  EXPECT_TRUE(mentions(check_of("installed", good_windows(), driver, false), "sc start"));
  driver.last_error = 577;
  driver.error_text = "Windows cannot verify the digital signature";
  const Check check = check_of("installed", good_windows(), driver, false);
  EXPECT_EQ(check.status, CheckStatus::fail);
  EXPECT_TRUE(mentions(check, "cannot verify"));
  EXPECT_TRUE(mentions(check, "test-mode"));
}

TEST(WindowsChecks, MissingFileIsSeen) {
  DriverFacts driver = good_driver();
  driver.running = driver.file_exists = false;
  EXPECT_TRUE(mentions(check_of("installed", good_windows(), driver, false), "missing"));
}

TEST(WindowsChecks, TestSignedDriverUnderSecureBoot) {
  DriverFacts driver = good_driver();
  driver.running = driver.signature_trusted = false;
  driver.signer = "wperf test";
  driver.signature_error = "the root is not trusted";
  const auto checks = windows_checks(good_windows(), driver, false);
  EXPECT_TRUE(mentions(find(checks, "signature"), "wperf test"));
  EXPECT_TRUE(mentions(find(checks, "test-mode"), "bcdedit"));
  EXPECT_EQ(find(checks, "secure-boot").status, CheckStatus::warn);
  // The same facts do not matter if the driver works.
  for (const char* name : {"signature", "test-mode", "secure-boot"}) {
    EXPECT_EQ(check_of(name, good_windows(), driver, true).status, CheckStatus::ok) << name;
  }
}

TEST(WindowsChecks, UnsignedDriver) {
  DriverFacts driver = good_driver();
  driver.file_signed = driver.signature_trusted = false;
  EXPECT_TRUE(mentions(check_of("signature", good_windows(), driver, false), "not signed"));
}

TEST(WindowsChecks, WrongMachineAndWrongProgram) {
  WindowsFacts windows = good_windows();
  windows.program = "x64";
  EXPECT_EQ(check_of("windows", windows, {}, false).status, CheckStatus::warn);
  windows.machine = "x64";
  EXPECT_EQ(check_of("windows", windows, {}, false).status, CheckStatus::fail);
  EXPECT_EQ(check_of("windows", windows, {}, true).status,
            CheckStatus::ok);  // a working driver outweighs the other facts
  windows.machine.clear();
  EXPECT_EQ(check_of("windows", windows, {}, false).status, CheckStatus::ok);
}

TEST(WindowsChecks, VirtualMachinesAreNamed) {
  WindowsFacts windows = good_windows();
  windows.model = "Microsoft Corporation Virtual Machine";
  EXPECT_EQ(check_of("hypervisor", windows, good_driver(), true).status, CheckStatus::warn);
  EXPECT_NE(check_of("hypervisor", windows, good_driver(), true).fix.find("--force-lock"), std::string::npos);
  windows.model = "Amazon EC2 m7g.large";
  EXPECT_EQ(check_of("hypervisor", windows, good_driver(), true).status, CheckStatus::warn);
  windows.model = "Amazon EC2 m7g.metal";
  EXPECT_EQ(check_of("hypervisor", windows, good_driver(), true).status, CheckStatus::ok);
}

TEST(WindowsChecks, RightsFromMostToLeast) {
  WindowsFacts windows = good_windows();
  EXPECT_EQ(check_of("privileges", windows, {}, false).status, CheckStatus::ok);
  windows.administrator = false;
  windows.performance_log_user = true;
  EXPECT_TRUE(mentions(check_of("privileges", windows, {}, false), "no kernel code"));
  windows.performance_log_user = false;
  EXPECT_EQ(check_of("privileges", windows, {}, false).status, CheckStatus::fail);
  EXPECT_TRUE(mentions(check_of("privileges", windows, {}, false), "localgroup"));
  windows.could_be_administrator = true;
  EXPECT_TRUE(mentions(check_of("privileges", windows, {}, false), "Run as administrator"));
}

}  // namespace
}  // namespace wperf::doctor
