// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/installer.h"

#include <gtest/gtest.h>

#include "devgen/fake_windows.h"

namespace wperf::devgen {
namespace {

class InstallerTest : public testing::Test {
 protected:
  Win32Error run_install(InstallWay way = InstallWay::device) {
    console_ = {};
    return install(machine_, console_, way);
  }
  Win32Error run_uninstall() {
    console_ = {};
    return uninstall(machine_, console_);
  }
  bool said(const char* text) const { return console_.out_.find(text) != std::string::npos; }
  bool complained(const char* text) const { return console_.err_.find(text) != std::string::npos; }

  FakeMachine machine_;
  FakeConsole console_;
};

TEST_F(InstallerTest, InstallsAndUninstalls) {
  EXPECT_EQ(run_install(), 0u);
  EXPECT_EQ(console_.out_, "Install requested.\nDevice installed successfully\n");
  EXPECT_EQ(console_.err_, "");
  ASSERT_EQ(machine_.devices_.size(), 1u);
  EXPECT_TRUE(machine_.driver_answers());
  EXPECT_EQ(run_uninstall(), 0u);
  EXPECT_TRUE(machine_.clean());
  EXPECT_EQ(console_.out_,
            "Uninstall requested.\nRemoved: device ROOT\\WPERFDRV\\0000.\nRemoved: service WPERFDRV.\n"
            "Removed: driver package oem7.inf.\nDevice uninstalled sucessfully\n");
}

TEST_F(InstallerTest, BothMayBeRepeated) {
  EXPECT_EQ(run_install(), 0u);
  EXPECT_EQ(run_install(), 0u);
  EXPECT_EQ(machine_.devices_.size(), 1u);
  EXPECT_TRUE(said("driver is updated"));
  EXPECT_EQ(run_uninstall(), 0u);
  EXPECT_EQ(run_uninstall(), 0u);
  EXPECT_TRUE(said("installed here.\nDevice uninstalled sucessfully"));
}

TEST_F(InstallerTest, OnlyOneDeviceStays) {
  machine_.devices_ = {{.instance_id = "ROOT\\WPERFDRV\\0000", .inf_name = {}},
                       {.instance_id = "ROOT\\WPERFDRV\\0001", .inf_name = {}}};
  EXPECT_EQ(run_install(), 0u);
  ASSERT_EQ(machine_.devices_.size(), 1u);
  EXPECT_EQ(machine_.devices_[0].instance_id, "ROOT\\WPERFDRV\\0000");
}

TEST_F(InstallerTest, RightsComeFirst) {
  machine_.facts_.elevated = false;
  machine_.files_.clear();
  for (const auto way : {InstallWay::device, InstallWay::plain_service}) {
    EXPECT_EQ(run_install(way), code::kAccessDenied);
    EXPECT_TRUE(said("GetLastError 5\n"));
    EXPECT_TRUE(complained("error: only an administrator may install"));
    EXPECT_TRUE(complained("hint: open a console with \"Run as administrator\""));
  }
  EXPECT_EQ(run_uninstall(), code::kAccessDenied);
  EXPECT_EQ(machine_.steps_, 0);
}

// A folder of downloads may hold a driver that an attacker wants to have installed.
TEST_F(InstallerTest, ItsOwnFolderComesBeforeTheCurrentOne) {
  machine_.current_folder_ = "C:\\downloads\\";
  for (const char* name : {"wperf-driver.inf", "wperf-driver.sys"}) {
    machine_.files_[machine_.current_folder_ + name] = machine_.files_[machine_.program_folder_ + name];
  }
  EXPECT_EQ(run_install(), 0u);
  EXPECT_EQ(machine_.devices_.size(), 1u) << "the fake knows the .inf of its own folder only";
  // If only half of a package is in the program's folder, the other half is not taken from a different folder.
  machine_.files_.erase(kSys);
  EXPECT_EQ(run_install(), code::kFileNotFound);
  EXPECT_TRUE(complained("error: wperf-driver.sys is not in the same folder as C:\\unpacked\\wperf-driver.inf\n"));
}

TEST_F(InstallerTest, TheCurrentFolderServesWhereItsOwnHasNone) {
  machine_.program_folder_ = "C:\\tools\\";
  machine_.current_folder_ = "C:\\unpacked\\";
  EXPECT_EQ(run_install(), 0u);
  EXPECT_EQ(machine_.devices_.size(), 1u);
}

TEST_F(InstallerTest, MissingFiles) {
  machine_.files_.erase(kSys);
  EXPECT_EQ(run_install(), code::kFileNotFound);
  EXPECT_TRUE(complained("error: wperf-driver.sys is not in the same folder as C:\\unpacked\\wperf-driver.inf\n"));
  machine_.files_.clear();
  EXPECT_EQ(run_install(), code::kFileNotFound);
  EXPECT_TRUE(complained(
      "error: wperf-driver.inf is neither in the folder of wperf-devgen.exe nor in the current directory\n"));
  EXPECT_TRUE(complained("hint: unpack the whole archive into one folder"));
  EXPECT_EQ(machine_.steps_, 0);
}

TEST_F(InstallerTest, InfOfAnotherDriver) {
  machine_.foreign_infs_ = {kInf};
  for (const auto way : {InstallWay::device, InstallWay::plain_service}) {
    EXPECT_EQ(run_install(way), code::kFileNotFound);
    EXPECT_TRUE(complained("error: C:\\unpacked\\wperf-driver.inf belongs to another driver"));
  }
  EXPECT_EQ(machine_.steps_, 0);
}

TEST_F(InstallerTest, DriverOfAnotherProcessor) {
  machine_.files_[kSys].processor = code::kMachineX64;
  EXPECT_EQ(run_install(), code::kMachineMismatch);
  EXPECT_TRUE(complained("wperf-driver.sys is made for x64, this machine is ARM64"));
  EXPECT_EQ(machine_.steps_, 0);
  machine_.facts_.processor = 0;  // a Windows that does not report its processor
  EXPECT_EQ(run_install(), 0u);
}

TEST_F(InstallerTest, RefusedSignatureIsTakenBackAndExplained) {
  machine_.facts_.test_mode = Switch::off;
  machine_.facts_.secure_boot = Switch::on;
  machine_.problem_after_update_ = code::kProblemUnsignedDriver;
  EXPECT_EQ(run_install(), code::kInvalidImageHash);
  EXPECT_TRUE(machine_.clean());
  EXPECT_TRUE(said("is removed again.\nGetLastError 577\n"));
  EXPECT_TRUE(complained("does not accept the signature of wperf-driver.sys (signed by wperf test)"));
  EXPECT_TRUE(complained("turn Secure Boot off in the firmware"));
  EXPECT_TRUE(complained("bcdedit /set testsigning on"));
}

TEST_F(InstallerTest, UpdateThatFailsLeavesTheOldDevice) {
  ASSERT_EQ(run_install(), 0u);
  machine_.failing_["update_driver"] = code::kCertUntrustedRoot;
  EXPECT_EQ(run_install(), code::kCertUntrustedRoot);
  EXPECT_EQ(machine_.devices_.size(), 1u);
  EXPECT_TRUE(machine_.driver_answers());
}

TEST_F(InstallerTest, RestartRequiredIsSuccess) {
  machine_.problem_after_update_ = code::kProblemNeedsRestart;
  EXPECT_EQ(run_install(), 0u);
  EXPECT_TRUE(said("Restart Windows to complete the installation."));
  machine_.problem_after_update_ = 0;
  machine_.restart_after_update_ = true;
  EXPECT_EQ(run_install(), 0u);
  EXPECT_TRUE(said("Restart Windows to complete the installation."));
}

TEST_F(InstallerTest, FallsBackWhereOnlyTheCatalogIsMissing) {
  machine_.failing_["update_driver"] = code::kNoCatalogForInf;
  EXPECT_EQ(run_install(), 0u);
  EXPECT_TRUE(machine_.devices_.empty());
  EXPECT_EQ(machine_.service_.state, ServiceState::running);
  EXPECT_FALSE(machine_.service_.plug_and_play);
  EXPECT_TRUE(complained("warning: the driver package has no catalog (0xE000022F)"));
  EXPECT_EQ(run_uninstall(), 0u);
  EXPECT_TRUE(machine_.clean());
}

TEST_F(InstallerTest, FileThatWindowsMissesIsTheCatalog) {
  machine_.facts_.test_mode = Switch::off;
  machine_.failing_["update_driver"] = code::kFileNotFound;
  EXPECT_EQ(run_install(), code::kNoCatalogForInf);
  machine_.files_["C:\\unpacked\\wperf-driver.cat"].exists = true;
  EXPECT_EQ(run_install(), code::kFileNotFound);
  EXPECT_TRUE(machine_.clean());
}

TEST_F(InstallerTest, DoesNotFallBackWhereItWouldNotHelpOrIsForbidden) {
  machine_.failing_["update_driver"] = code::kDeviceInstallBlocked;
  EXPECT_EQ(run_install(), code::kDeviceInstallBlocked);
  EXPECT_TRUE(machine_.clean());
  machine_.failing_["update_driver"] = code::kNoCatalogForInf;
  machine_.facts_.test_mode = Switch::off;
  EXPECT_EQ(run_install(), code::kNoCatalogForInf);
  EXPECT_TRUE(machine_.clean());
  machine_.facts_.test_mode = Switch::on;
  machine_.files_[kSys].signature = Signature::none;
  EXPECT_EQ(run_install(), code::kNoCatalogForInf);
  EXPECT_TRUE(machine_.clean());
  EXPECT_TRUE(complained("warning: wperf-driver.sys has no signature"));
}

TEST_F(InstallerTest, PlainServiceOnRequest) {
  EXPECT_EQ(run_install(InstallWay::plain_service), 0u);
  EXPECT_EQ(machine_.service_.image_path, kPlain);
  EXPECT_TRUE(machine_.driver_answers());
  EXPECT_EQ(run_install(InstallWay::plain_service), 0u);
  EXPECT_TRUE(said("driver is replaced."));
  // The device takes the service's place.
  EXPECT_EQ(run_install(), 0u);
  EXPECT_TRUE(machine_.service_.plug_and_play);
  EXPECT_EQ(machine_.files_.count(kPlain), 0u);
  EXPECT_EQ(run_install(InstallWay::plain_service), code::kServiceExists);
  EXPECT_EQ(machine_.devices_.size(), 1u);
}

TEST_F(InstallerTest, ServiceMarkedForDeletion) {
  machine_.service_ = {.state = ServiceState::stopped, .marked_for_deletion = true, .image_path = kPlain};
  for (const auto way : {InstallWay::device, InstallWay::plain_service}) {
    EXPECT_EQ(run_install(way), code::kServiceMarkedForDelete);
    EXPECT_TRUE(complained("close services.msc"));
  }
  EXPECT_EQ(machine_.steps_, 0);
}

TEST_F(InstallerTest, EveryFailureLeavesNothing) {
  for (const auto way : {InstallWay::device, InstallWay::plain_service}) {
    for (const char* const step :
         {"create_device", "update_driver", "copy_file", "create_plain_service", "start_service"}) {
      machine_ = {};
      machine_.failing_[step] = code::kInvalidImageHash;
      const Win32Error error = run_install(way);
      EXPECT_TRUE(error == 0 || machine_.clean()) << step;
      EXPECT_TRUE(error == 0 || error == code::kInvalidImageHash) << step;
      EXPECT_EQ(error == 0, said("Device installed successfully")) << step;
    }
  }
}

TEST_F(InstallerTest, CtrlCAtAnyMomentLeavesNothingOrEverything) {
  for (const auto way : {InstallWay::device, InstallWay::plain_service}) {
    for (int steps = 0; steps < 8; ++steps) {
      machine_ = {};
      machine_.steps_until_interrupt_ = steps;
      const Win32Error error = run_install(way);
      EXPECT_TRUE(error == 0 || error == code::kCancelled) << steps;
      EXPECT_EQ(machine_.clean(), error != 0) << steps;
      EXPECT_EQ(machine_.driver_answers(), error == 0) << steps;
    }
  }
}

TEST_F(InstallerTest, DriverThatCannotGoNowGoesAtTheRestart) {
  ASSERT_EQ(run_install(), 0u);
  machine_.failing_["stop_service"] = code::kServiceRefusesControl;
  EXPECT_EQ(run_uninstall(), 0u);
  EXPECT_TRUE(machine_.clean());
  EXPECT_TRUE(said("Restart Windows to complete the removal."));
}

TEST_F(InstallerTest, UninstallGoesOnAfterAFailureAndTellsIt) {
  ASSERT_EQ(run_install(), 0u);
  machine_.failing_["remove_device"] = code::kSharingViolation;
  machine_.failing_["remove_package"] = code::kAccessDenied;
  EXPECT_EQ(run_uninstall(), code::kSharingViolation);
  EXPECT_EQ(machine_.service_.state, ServiceState::absent);
  EXPECT_TRUE(complained("warning: device ROOT\\WPERFDRV\\0000 could not be removed (32)"));
  EXPECT_TRUE(complained("warning: driver package oem7.inf could not be removed (5)"));
  EXPECT_TRUE(complained("error: the driver file is in use"));
  EXPECT_FALSE(said("sucessfully"));
}

}  // namespace
}  // namespace wperf::devgen
