// SPDX-License-Identifier: BSD-3-Clause
// A fake Windows for the tests. It holds devices, a service, files and packages, fails at the steps that a test
// selects, and can be inspected afterwards.
#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "devgen/codes.h"
#include "devgen/devgen_machine.h"

namespace wperf::devgen {

inline constexpr const char* kInf = "C:\\unpacked\\wperf-driver.inf";
inline constexpr const char* kSys = "C:\\unpacked\\wperf-driver.sys";
inline constexpr const char* kPlain = "C:\\Windows\\System32\\drivers\\wperfdrv.sys";

class FakeMachine : public DevgenMachine {
 public:
  FakeMachine() {
    facts_.elevated = true;
    facts_.test_mode = Switch::on;
    facts_.secure_boot = Switch::off;
    facts_.processor = code::kMachineArm64;
    files_[kInf] = {.exists = true,
                    .processor = 0,
                    .version = {},
                    .signature = Signature::none,
                    .signer = {},
                    .signature_error = {}};
    files_[kSys] = {.exists = true,
                    .processor = code::kMachineArm64,
                    .version = "3.8.0",
                    .signature = Signature::embedded,
                    .signer = "wperf test",
                    .signature_error = {}};
  }

  Facts facts() override { return facts_; }
  std::vector<DeviceFacts> devices() override { return devices_; }
  std::vector<std::string> windowsperf_devices() override { return windowsperf_; }
  bool driver_answers() override {
    return service_.state == ServiceState::running && (devices_.empty() || devices_[0].started);
  }
  Interrupt interrupt() override { return interrupt_; }
  ServiceFacts service() override { return service_; }
  FileFacts file(const std::string& path) override {
    const auto found = files_.find(path);
    return found == files_.end() ? FileFacts{} : found->second;
  }
  std::optional<std::string> find_file(Folder folder, const std::string& name) override {
    const std::string path = (folder == Folder::of_program ? program_folder_ : current_folder_) + name;
    return files_.count(path) != 0 ? std::optional(path) : std::nullopt;
  }
  bool is_our_inf(const std::string& path) override { return foreign_infs_.count(path) == 0; }
  std::vector<std::string> packages() override { return {packages_.begin(), packages_.end()}; }
  std::string plain_driver_path() override { return kPlain; }
  bool interrupted() override { return steps_until_interrupt_ == 0; }

  Win32Error create_device(const std::string& inf_path, std::string& instance_id) override {
    if (const auto error = step("create_device"); error != 0) return error;
    if (inf_path != kInf) return code::kFileNotFound;
    instance_id = "ROOT\\WPERFDRV\\0000";
    devices_.push_back({.instance_id = instance_id, .inf_name = {}});
    return 0;
  }
  Change update_driver(const std::string& inf_path) override {
    if (const auto error = step("update_driver"); error != 0) return {.error = error};
    if (inf_path != kInf || devices_.empty()) return {.error = code::kNoSuchDevice};
    packages_.insert("oem7.inf");
    for (DeviceFacts& device : devices_) {
      device.has_driver = true;
      device.state_known = true;
      device.problem = problem_after_update_;
      device.started = problem_after_update_ == 0;
      device.inf_name = "oem7.inf";
    }
    service_ = {.state = problem_after_update_ == 0 ? ServiceState::running : ServiceState::stopped,
                .plug_and_play = true,
                .image_path = "C:\\store\\wperf-driver.sys"};
    files_[service_.image_path] = files_[kSys];
    return {.restart = restart_after_update_};
  }
  Change remove_device(const std::string& instance_id) override {
    if (const auto error = step("remove_device"); error != 0) return {.error = error};
    const auto removed =
        std::erase_if(devices_, [&](const DeviceFacts& device) { return device.instance_id == instance_id; });
    if (service_.plug_and_play && service_.state == ServiceState::running && devices_.empty()) {
      service_.state = ServiceState::stopped;
    }
    return {.error = removed == 0 ? code::kNoSuchDevice : 0};
  }
  Win32Error remove_package(const std::string& inf_name) override {
    if (const auto error = step("remove_package"); error != 0) return error;
    return packages_.erase(inf_name) == 0 ? code::kFileNotFound : 0;
  }
  Win32Error copy_file(const std::string& from, const std::string& to) override {
    if (const auto error = step("copy_file"); error != 0) return error;
    files_[to] = files_.at(from);
    return 0;
  }
  Win32Error delete_file(const std::string& path) override {
    if (const auto error = step("delete_file"); error != 0) return error;
    files_.erase(path);
    return 0;
  }
  Win32Error create_plain_service(const std::string& image_path) override {
    if (const auto error = step("create_plain_service"); error != 0) return error;
    if (service_.state != ServiceState::absent) return code::kServiceExists;
    service_ = {.state = ServiceState::stopped, .image_path = image_path};
    return 0;
  }
  Win32Error start_service() override {
    if (const auto error = step("start_service"); error != 0) return error;
    if (service_.state == ServiceState::absent) return code::kServiceDoesNotExist;
    service_.state = ServiceState::running;
    return 0;
  }
  Win32Error stop_service() override {
    if (const auto error = step("stop_service"); error != 0) return error;
    if (service_.state == ServiceState::absent) return code::kServiceDoesNotExist;
    if (service_.state == ServiceState::stopped) return code::kServiceNotActive;
    service_.state = ServiceState::stopped;
    return 0;
  }
  Win32Error delete_service() override {
    if (const auto error = step("delete_service"); error != 0) return error;
    if (service_.state == ServiceState::absent) return code::kServiceDoesNotExist;
    service_ = {};
    return 0;
  }

  // Whether no part of the driver is on this machine.
  bool clean() const {
    return devices_.empty() && packages_.empty() && service_.state == ServiceState::absent && files_.count(kPlain) == 0;
  }

  Facts facts_;
  std::vector<DeviceFacts> devices_;
  ServiceFacts service_;
  std::map<std::string, FileFacts> files_;
  std::string program_folder_ = "C:\\unpacked\\", current_folder_ = "C:\\Users\\ann\\";
  std::set<std::string> packages_;
  std::set<std::string> foreign_infs_;
  std::vector<std::string> windowsperf_;
  Interrupt interrupt_ = Interrupt::not_asked;
  std::map<std::string, Win32Error> failing_;  // step → the error of that step
  int steps_until_interrupt_ = -1;             // Ctrl-C comes after this many steps; -1 for never
  u32 problem_after_update_ = 0;
  bool restart_after_update_ = false;
  int steps_ = 0;

 private:
  Win32Error step(const std::string& name) {
    ++steps_;
    if (steps_until_interrupt_ > 0) --steps_until_interrupt_;
    const auto found = failing_.find(name);
    return found == failing_.end() ? 0 : found->second;
  }
};

class FakeConsole : public Console {
 public:
  void out(const std::string& line) override { out_ += line + "\n"; }
  void err(const std::string& line) override { err_ += line + "\n"; }
  std::string out_;
  std::string err_;
};

}  // namespace wperf::devgen
