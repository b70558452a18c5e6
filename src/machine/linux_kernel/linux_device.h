// SPDX-License-Identifier: BSD-3-Clause
// The Linux kernel of this machine as a device.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "machine/device/device.h"

namespace wperf::linux_kernel {

// Facts that decide what this user can measure on Linux. Collected for `doctor`; app/doctor/checks.cpp judges them.
struct LinuxFacts {
  std::string release;               // of the kernel
  std::optional<int> paranoid;       // kernel.perf_event_paranoid; nullopt if the kernel has no perf events
  std::optional<int> kptr_restrict;  // kernel.kptr_restrict
  std::optional<u64> most_samples;   // kernel.perf_event_max_sample_rate, per second
  bool is_root = false;              // the user id is 0, which means little in a container or a user namespace
  // The rights of this user. Each is tested by opening an event, because settings, capabilities, namespaces and system
  // call filters decide together.
  bool own_programs = false;            // the user mode of the user's own programs
  bool own_kernel = false;              // kernel mode in these programs
  bool whole_cores = false;             // all programs and the kernel
  bool scheduler = false;               // scheduler tracepoints on a whole core
  std::string counter_error;            // why the cycle counter could not be used; empty if it counted
  u64 cycles = 0;                       // counted in a short loop
  std::vector<std::string> core_units;  // names of the core PMUs
  std::vector<std::string> other_units;
  std::string tracefs;         // empty if it cannot be read
  std::string tracefs_mount;   // where it is mounted, even if it cannot be read; empty if it is not mounted
  bool kernel_names = false;   // /proc/kallsyms shows addresses
  bool debug_files = false;    // separate debug information is installed
  bool debug_servers = false;  // DEBUGINFOD_URLS has servers
};

// Levels of kernel.perf_event_paranoid.
inline constexpr int kOwnProgramsUserMode = 2, kOwnProgramsAndKernel = 1, kWholeCores = 0;
// The hint if perf events are refused although kernel.perf_event_paranoid allows them.
inline constexpr const char* kSandboxHint =
    "the setting would allow it, so a sandbox or system call filter (as in containers) forbids perf_event_open; allow "
    "it "
    "there";

// If tracefs, which describes the kernel's tracepoints, is not mounted and the user is root, mounts it. Returns false
// if it is still missing.
bool mount_tracefs();

// nullopt if this is not Linux.
std::optional<LinuxFacts> linux_facts();

diag::Result<std::unique_ptr<device::Device>> open_linux_device();

}  // namespace wperf::linux_kernel
