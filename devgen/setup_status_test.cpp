// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/setup_status.h"

#include <gtest/gtest.h>

#include "devgen/fake_windows.h"
#include "devgen/installer.h"

namespace wperf::devgen {
namespace {

class StatusTest : public testing::Test {
 protected:
  int run(const char* version = "3.8.0") {
    console_ = {};
    return show_status(machine_, console_, version);
  }
  std::string next() const {
    const auto at = console_.out_.find("next:             ");
    return at == std::string::npos ? "" : console_.out_.substr(at + 18, console_.out_.find('\n', at) - at - 18);
  }
  void install_driver() {
    FakeConsole console;
    ASSERT_EQ(install(machine_, console, InstallWay::device), 0u);
  }

  FakeMachine machine_;
  FakeConsole console_;
};

TEST_F(StatusTest, NothingInstalled) {
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(console_.out_,
            "device:           none\n"
            "service:          not installed\n"
            "reachable:        no\n"
            "test mode:        on\n"
            "Secure Boot:      off\n"
            "memory integrity: unknown\n"
            "administrator:    yes\n"
            "next:             wperf-devgen install\n");
}

TEST_F(StatusTest, InterruptThatWindowsKeepsIsToldWithTheWayOut) {
  install_driver();
  machine_.interrupt_ = Interrupt::not_given_again;
  EXPECT_EQ(run(), 0);
  EXPECT_NE(console_.out_.find("interrupt:        not g"), std::string::npos);
  EXPECT_NE(console_.out_.find("no sampling, counting works; restart Windows\n"), std::string::npos);
  machine_.interrupt_ = Interrupt::unknown;  // an older driver
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(console_.out_.find("interrupt:"), std::string::npos);
}

TEST_F(StatusTest, InstalledAndRunning) {
  install_driver();
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(console_.out_,
            "device:           ROOT\\WPERFDRV\\0000, started\n"
            "service:          WPERFDRV, running, of the device\n"
            "driver:           C:\\store\\wperf-driver.sys\n"
            "                  version 3.8.0, ARM64, signed by wperf test\n"
            "driver package:   oem7.inf\n"
            "reachable:        yes\n"
            "interrupt:        not requested yet\n"
            "test mode:        on\n"
            "Secure Boot:      off\n"
            "memory integrity: unknown\n"
            "administrator:    yes\n"
            "next:             nothing to do, the driver is running\n");
}

TEST_F(StatusTest, NamesTheDriverOfWindowsPerf) {
  machine_.windowsperf_ = {"ROOT\\SYSTEM\\0001"};
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(console_.out_.find("device:           none\nother driver:     ROOT\\SYSTEM\\0001, of Arm's WindowsPerf;"),
            0u);
  EXPECT_EQ(next(), "wperf-devgen install");  // WindowsPerf's driver does not replace ours
  install_driver();
  EXPECT_EQ(run(), 0);
  EXPECT_NE(console_.out_.find("other driver:     ROOT\\SYSTEM\\0001"), std::string::npos);
}

TEST_F(StatusTest, SaysWhoSignedTheDriver) {
  install_driver();
  FileFacts& file = machine_.files_[machine_.service_.image_path];
  file.signature_error = "the root is not trusted";
  run();
  EXPECT_NE(console_.out_.find("ARM64, signed by wperf test; the root is not trusted\n"), std::string::npos);
  file = {.exists = true, .version = {}, .signature = Signature::none, .signer = {}, .signature_error = {}};
  run();
  EXPECT_NE(console_.out_.find("without a version, an unknown processor, not signed\n"), std::string::npos);
  file.signature = Signature::catalog;
  file.signer = "Somebody";
  run();
  EXPECT_NE(console_.out_.find("signed by Somebody (in a catalog)\n"), std::string::npos);
}

TEST_F(StatusTest, NamesTheNextStep) {
  install_driver();
  EXPECT_EQ(run("3.9.0"), 0);
  EXPECT_NE(next().find("wperf (3.9.0): wperf-devgen install"), std::string::npos) << next();

  machine_.devices_[0].started = false;
  machine_.devices_[0].problem = code::kProblemDisabled;
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(next(), "the device is disabled: pnputil /enable-device \"ROOT\\WPERFDRV\\0000\"");

  machine_.devices_[0].problem = code::kProblemUnsignedDriver;
  machine_.facts_.test_mode = Switch::off;
  EXPECT_EQ(run(), 1);
  EXPECT_NE(next().find("bcdedit /set testsigning on"), std::string::npos);

  machine_.devices_.clear();
  machine_.service_.state = ServiceState::stopped;
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(next(), "the device is gone: wperf-devgen install");

  machine_.service_.plug_and_play = false;
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(next(), "wperf-devgen install --service");

  machine_.files_.erase(machine_.service_.image_path);
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(next(), "the driver's file is gone: wperf-devgen uninstall, then wperf-devgen install");

  machine_.service_.marked_for_deletion = true;
  EXPECT_EQ(run(), 1);
  EXPECT_NE(next().find("restart Windows"), std::string::npos);
}

}  // namespace
}  // namespace wperf::devgen
