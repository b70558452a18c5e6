// SPDX-License-Identifier: BSD-3-Clause
// Facts about this machine: its name, facts that Windows reports, and whether it is a virtual machine.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace wperf::os {

// Facts about Windows that decide whether a kernel driver may run and who may use it. For `wperf doctor`;
// app/doctor/doctor.h judges these facts, and is tested on every system with invented facts.

// An empty optional means that Windows did not report it.
struct WindowsFacts {
  std::string version;                   // "10.0.26100"
  std::string machine;                   // the machine type of the CPU: "ARM64", "x64"; empty if not known
  std::string program;                   // the machine type of this wperf.exe
  std::string model;                     // the computer's model, from its firmware: "QEMU Virtual Machine"
  std::optional<bool> test_signing;      // boot option: drivers signed with a test certificate are loaded
  std::optional<bool> secure_boot;       // if on, test_signing cannot be switched on
  std::optional<bool> memory_integrity;  // if on, the hypervisor checks kernel code (HVCI)
  bool administrator = false;            // this process has the rights of an administrator now
  bool could_be_administrator = false;   // the user is an administrator, but the process was started without these
                                         // rights
  bool performance_log_user = false;
};

// nullopt if this is not Windows.
std::optional<WindowsFacts> windows_facts();

// Judges by the names in the firmware (SMBIOS, maker and product) whether this computer is a virtual machine. Windows'
// report of a hypervisor does not help: Windows has its own hypervisor even on real machines. Pure.

// For example "QEMU Virtual Machine" and "Amazon EC2 m7g.large".
bool is_virtual_machine(std::string_view maker_and_product);

// The name of this machine, in UTF-8; empty if the system does not say.
std::string host_name();

}  // namespace wperf::os
