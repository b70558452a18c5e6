// SPDX-License-Identifier: BSD-3-Clause
// A Windows machine without a driver: the programs, the facts from ACPI, and a request not to sleep during
// measurements. Machines with a driver derive from it: wperf's driver in driver_handle_win.cpp, Arm's in
// windowsperf/open_machine_win.cpp.
#pragma once
#include <optional>

#include "machine/device/driver_machine.h"
#include "machine/windows/setup_api_win.h"
#include "machine/windows/windows_programs_win.h"

namespace wperf::windows {

// Keeps Windows from sleeping during a measurement: in sleep and in Modern Standby cores power down and lose their
// counters. `powercfg /requests` shows the request.
class AwakeRequest {
 public:
  AwakeRequest();  // in effect until its destruction; does nothing if Windows refuses
  ~AwakeRequest();
  AwakeRequest(const AwakeRequest&) = delete;
  AwakeRequest& operator=(const AwakeRequest&) = delete;

 private:
  void* request_;  // null: there is no request
};

template <typename Base>
class OnWindows : public Base {
 public:
  void measuring(bool begins) override {
    measurements_ += begins ? 1 : -1;
    if (measurements_ == 0) awake_.reset();
    if (measurements_ != 0 && !awake_.has_value()) awake_.emplace();
  }
  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override {
    return programs_.spawn(image, command_line, core);
  }
  device::ProcessState process(u32 pid) override { return programs_.process(pid); }
  void kill(u32 pid) override { programs_.kill(pid); }
  std::vector<readings::Process> processes() override { return programs_.processes(); }
  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override { return programs_.wait(nanoseconds, until_pid); }
  u64 now_ns() override { return programs_.now_ns(); }
  std::vector<device::DeviceMemory> dmc_channels() override { return acpi_device_memory(L"ARMHD620"); }
  u32 dsu_clusters() override { return count_acpi_devices(L"ARMHD500"); }

 private:
  WindowsPrograms programs_;
  int measurements_ = 0;  // running measurements, because counting and profiling may run at the same time
  std::optional<AwakeRequest> awake_;
};

}  // namespace wperf::windows
