// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/windows_checks.h"

#include <gtest/gtest.h>

namespace wperf::doctor {
namespace {

using answers::Check;
using answers::CheckStatus;
using os::WindowsFacts;
using windows::DriverFacts;

// A laptop on which the driver is installed, trusted and running.
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
  driver.signature_trouble = "the root is not trusted";
  const auto checks = windows_checks(good_windows(), driver, false);
  EXPECT_TRUE(mentions(find(checks, "signature"), "wperf test"));
  EXPECT_TRUE(mentions(find(checks, "test-mode"), "bcdedit"));
  EXPECT_EQ(find(checks, "secure-boot").status, CheckStatus::warn);
  // The same facts do not matter any more once it runs.
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
