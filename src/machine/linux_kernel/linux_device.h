// SPDX-License-Identifier: BSD-3-Clause
// The kernel of this machine as a device. Linux only.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "machine/device/device.h"

namespace wperf::linux_kernel {

// Facts that decide what this user can measure on Linux. Gathered for `doctor`, judged in app/doctor/checks.cpp.
struct LinuxFacts {
  std::string release;               // of the kernel
  std::optional<int> paranoid;       // kernel.perf_event_paranoid; nullopt if the kernel has no perf events
  std::optional<int> kptr_restrict;  // kernel.kptr_restrict
  std::optional<u64> most_samples;   // kernel.perf_event_max_sample_rate, a second
  bool is_root = false;              // by number, which means little in a container or a user namespace
  // The rights of this user, each tested with an event: settings, capabilities, namespaces and filters of system calls
  // decide together.
  bool own_programs = false;            // the user mode of the user's own programs
  bool own_kernel = false;              // and the kernel's work for them
  bool whole_cores = false;             // all programs and the kernel
  bool scheduler = false;               // its tracepoints, on a whole core
  std::string counter_trouble;          // why no cycle counter could be programmed; empty if it counted
  u64 cycles = 0;                       // counted in a short loop
  std::vector<std::string> core_units;  // PMUs of cores by name
  std::vector<std::string> other_units;
  std::string tracefs;         // empty: not readable
  std::string tracefs_mount;   // where it is mounted, readable or not; empty if it is not mounted
  bool kernel_names = false;   // /proc/kallsyms shows addresses
  bool debug_files = false;    // separate debug information is installed
  bool debug_servers = false;  // DEBUGINFOD_URLS names some
};

// Mounts tracefs, which describes the kernel's tracepoints, if it is missing and the user is root. Returns false if it
// is missing afterwards.
bool mount_tracefs();

// nullopt if this is not Linux.
std::optional<LinuxFacts> linux_facts();

diag::Result<std::unique_ptr<device::Device>> open_linux_device();

}  // namespace wperf::linux_kernel
