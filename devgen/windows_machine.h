// SPDX-License-Identifier: BSD-3-Clause
// The DevgenMachine for the running Windows. Its parts are device_node_win.cpp, service_control_win.cpp, facts_win.cpp
// and file_win.cpp.
#pragma once
#include "devgen/devgen_machine.h"

namespace wperf::devgen {

class WindowsMachine : public DevgenMachine {
 public:
  Facts facts() override;
  std::vector<DeviceFacts> devices() override;
  std::vector<std::string> windowsperf_devices() override;
  bool driver_answers() override;
  Interrupt interrupt() override;
  ServiceFacts service() override;
  FileFacts file(const std::string& path) override;
  std::optional<std::string> find_file(Folder folder, const std::string& name) override;
  bool is_our_inf(const std::string& path) override;
  std::vector<std::string> packages() override;
  std::string plain_driver_path() override;
  bool interrupted() override;

  Win32Error create_device(const std::string& inf_path, std::string& instance_id) override;
  Change update_driver(const std::string& inf_path) override;
  Change remove_device(const std::string& instance_id) override;
  Win32Error remove_package(const std::string& inf_name) override;
  Win32Error copy_file(const std::string& from, const std::string& to) override;
  Win32Error delete_file(const std::string& path) override;
  Win32Error create_plain_service(const std::string& image_path) override;
  Win32Error start_service() override;
  Win32Error stop_service() override;
  Win32Error delete_service() override;
};

// From now on the first Ctrl-C asks the installer to stop at the next safe point.
void catch_interrupt();

}  // namespace wperf::devgen
