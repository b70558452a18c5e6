// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/doctor/doctor.h"
#include "ground/os/machine_facts.h"
#include "ground/text/parts.h"
#include "machine/plan/counters.h"

namespace wperf::doctor {
namespace {

using answers::Check;
using answers::CheckStatus;
using linux_kernel::kOwnProgramsAndKernel;
using linux_kernel::kOwnProgramsUserMode;
using linux_kernel::kWholeCores;
using linux_kernel::LinuxFacts;

Check check_kernel(const LinuxFacts& facts) {
  if (facts.paranoid.has_value()) return {.name = "kernel", .detail = facts.release + ", with perf events", .fix = {}};
  return {.name = "kernel",
          .status = CheckStatus::fail,
          .detail = facts.release + ", without perf events",
          .fix = "wperf needs a kernel with CONFIG_PERF_EVENTS, and a container that does not hide /proc/sys"};
}

// Checks the rights of this user. They depend not only on the setting, but also on capabilities, namespaces and system
// call filters. Levels above 2 exist only on some kernels.
Check check_rights(const LinuxFacts& facts) {
  const std::string setting = fmt::format(" (kernel.perf_event_paranoid is {})", *facts.paranoid);
  if (facts.whole_cores)
    return {.name = "rights", .detail = "tested: programs, the kernel and whole cores" + setting, .fix = {}};
  const std::string_view who = facts.is_root ? "the capability CAP_PERFMON for the whole system (this root lacks it, "
                                               "as in a container or a user namespace)"
                                             : "root, the capability CAP_PERFMON";
  const auto fix_with = [&](std::string_view what, int level) {
    return fmt::format("{}{}, or sysctl kernel.perf_event_paranoid={}", what, who, level);
  };
  if (facts.own_kernel || facts.own_programs) {
    return {.name = "rights",
            .status = CheckStatus::warn,
            .detail = (facts.own_kernel ? "your own programs, kernel included; not whole cores"
                                        : "your own programs in user mode; neither the kernel (-k) nor whole cores") +
                      setting,
            .fix = fix_with("for more: ", kWholeCores)};
  }
  Check check{.name = "rights",
              .status = CheckStatus::fail,
              .detail = "tested: you may not measure anything, even your own programs" + setting,
              .fix = fix_with("", kOwnProgramsUserMode)};
  if (*facts.paranoid <= kOwnProgramsUserMode) {
    check.fix = linux_kernel::kSandboxHint;
  }
  return check;
}

Check check_counters_of(const LinuxFacts& facts) {
  if (facts.counter_error.empty()) {
    return {.name = "pmu",
            .detail = fmt::format("counted {} cycles in a short loop; event sources of the cores: {}", facts.cycles,
                                  facts.core_units.empty() ? "unnamed" : text::joined(facts.core_units, ", ")),
            .fix = {}};
  }
  // If users may not measure even their own programs, nothing is known about the counters of the machine.
  if (!facts.own_programs) {
    return {.name = "pmu",
            .status = CheckStatus::warn,
            .detail = fmt::format("unknown: the cycle counter was refused ({})", facts.counter_error),
            .fix = "see the check `rights`"};
  }
  return {.name = "pmu",
          .status = CheckStatus::warn,
          .detail = fmt::format("no cycle counter: {}", facts.counter_error),
          .fix =
              "software events and sampling by cpu-clock work without it; in a virtual machine the host must pass the "
              "counters through"};
}

Check check_units(const LinuxFacts& facts) {
  return {.name = "units",
          .detail = facts.other_units.empty() ? "only the cores" : text::joined(facts.other_units, ", "),
          .fix = {}};
}

Check check_rate(const LinuxFacts& facts) {
  constexpr u64 kDefaultRate = 4000;
  Check check{.name = "rate", .detail = "unknown", .fix = {}};
  if (!facts.most_samples.has_value()) return check;
  check.detail = fmt::format("up to {} samples per second (kernel.perf_event_max_sample_rate)", *facts.most_samples);
  if (*facts.most_samples >= kDefaultRate) return check;
  check.status = CheckStatus::warn;
  check.fix = fmt::format("the kernel lowered this limit because sampling took too long; --freq {} or less works",
                          *facts.most_samples);
  return check;
}

Check check_tracepoints(const LinuxFacts& facts) {
  if (!facts.tracefs.empty()) return {.name = "tracepoints", .detail = "in " + facts.tracefs, .fix = {}};
  constexpr std::string_view kLost = "cannot look up events such as sched:sched_switch";
  if (facts.tracefs_mount.empty()) {
    return {.name = "tracepoints",
            .status = CheckStatus::warn,
            .detail = fmt::format("tracefs is not mounted: {}", kLost),
            .fix = "as root: mount -t tracefs nodev /sys/kernel/tracing"};
  }
  return {
      .name = "tracepoints",
      .status = CheckStatus::warn,
      .detail = fmt::format("tracefs is mounted in {}, and this user may not read it: {}", facts.tracefs_mount, kLost),
      .fix =
          fmt::format("run as root, or let root make it readable: mount -o remount,mode=755 {}", facts.tracefs_mount)};
}

// kernel.kptr_restrict decides which users see kernel addresses: at 2 no user, at 1 users with CAP_SYSLOG, at 0 also
// users who may sample the kernel.
Check check_kernel_names(const LinuxFacts& facts) {
  if (facts.kernel_names) return {.name = "kernel names", .detail = "in /proc/kallsyms", .fix = {}};
  Check check{.name = "kernel names", .status = CheckStatus::warn, .detail = {}, .fix = {}};
  constexpr std::string_view kShown = "samples in the kernel are shown as [kernel]";
  const int level = facts.kptr_restrict.value_or(1);
  const bool is_for_all = level == 0;
  if (is_for_all) {
    check.detail = fmt::format("hidden: kernel.perf_event_paranoid is {}; {}", *facts.paranoid, kShown);
    check.fix =
        fmt::format("root, the capability CAP_SYSLOG, or sysctl kernel.perf_event_paranoid={}", kOwnProgramsAndKernel);
  } else {
    check.detail = fmt::format("hidden: kernel.kptr_restrict is {}; {}", level, kShown);
    check.fix = level == 1 && !facts.is_root
                    ? "root, or sysctl kernel.kptr_restrict=0 together with kernel.perf_event_paranoid=1"
                    : "sysctl kernel.kptr_restrict=0";
  }
  return check;
}

Check check_debug_files(const LinuxFacts& facts) {
  const std::string servers = facts.debug_servers ? "; report --debuginfod can also ask the servers of DEBUGINFOD_URLS"
                                                  : "; DEBUGINFOD_URLS has no servers for report --debuginfod";
  if (facts.debug_files) return {.name = "debug files", .detail = "in /usr/lib/debug/.build-id" + servers, .fix = {}};
  return {.name = "debug files",
          .status = CheckStatus::warn,
          .detail = "none in /usr/lib/debug/.build-id: system programs have no source lines" + servers,
          .fix = "install the -dbg or -dbgsym packages of the programs you profile"};
}

}  // namespace

std::vector<Check> linux_checks(const LinuxFacts& facts) {
  std::vector<Check> checks{check_kernel(facts)};
  if (!facts.paranoid.has_value()) return checks;
  checks.push_back(check_rights(facts));
  checks.push_back(check_counters_of(facts));
  checks.push_back(check_units(facts));
  checks.push_back(check_rate(facts));
  checks.push_back(check_tracepoints(facts));
  checks.push_back(check_kernel_names(facts));
  checks.push_back(check_debug_files(facts));
  return checks;
}

namespace {

using answers::Check;
using answers::CheckStatus;
using os::WindowsFacts;
using windows::DriverFacts;

constexpr const char* kInstall = "run `wperf-devgen install` as administrator";
constexpr const char* kReinstall = "run `wperf-devgen uninstall` and `wperf-devgen install` as administrator";
constexpr u32 kBadImageHash = 577;  // ERROR_INVALID_IMAGE_HASH: the signature was not accepted

// Problem codes of the Device Manager that can occur for such a kernel driver.
struct Problem {
  u32 code;
  const char* text;
  const char* fix;
};
constexpr Problem kProblems[] = {
    {10, "the device cannot start", "read the System log for the reason, then restart Windows"},
    {14, "the device works after a restart", "restart Windows"},
    {18, "the driver needs to be installed again", kReinstall},
    {22, "the device is disabled", "enable it in the Device Manager"},
    {28, "no driver is installed for the device", kReinstall},
    {31, "the driver does not support this machine", "it needs Windows on Arm, and free performance counters"},
    {37, "the driver returned a failure when it was loaded", "read the System log for the reason"},
    {39, "Windows could not load the driver: its file is damaged, missing, or for another machine", kReinstall},
    {48, "Windows blocks the driver", "look in the Windows Security app for the reason"},
    {52, "Windows does not accept the driver's signature", "see the checks `signature`, `test-mode` and `secure-boot`"},
};

Check check_windows(const WindowsFacts& windows, bool works) {
  Check check{.name = "windows",
              .detail = fmt::format("version {}, {}", windows.version,
                                    windows.machine.empty() ? "unknown machine" : windows.machine),
              .fix = {}};
  if (!works && !windows.machine.empty() && windows.machine != "ARM64") {
    check.status = CheckStatus::fail;
    check.detail += "; the driver needs Windows on Arm";
    check.fix = "run wperf on a Windows-on-Arm machine, or use the simulated machine of wperf on Linux (--device sim)";
  } else if (windows.machine == "ARM64" && windows.program != "ARM64") {
    check.status = CheckStatus::warn;
    check.detail += fmt::format("; this wperf.exe is for {} and runs emulated", windows.program);
    check.fix = "use the wperf.exe for ARM64";
  }
  return check;
}

Check device_problem(u32 code) {
  for (const Problem& problem : kProblems) {
    if (problem.code == code) {
      return {.name = "installed",
              .status = CheckStatus::fail,
              .detail = fmt::format("{} (Device Manager code {})", problem.text, code),
              .fix = problem.fix};
    }
  }
  return {.name = "installed",
          .status = CheckStatus::fail,
          .detail = fmt::format("the Device Manager reports code {} for the driver's device", code),
          .fix = "look the code up in the Device Manager's help"};
}

// Is the driver installed, and does it run?
Check check_installed(const DriverFacts& driver, bool works) {
  const char* const kind = driver.device_problem.has_value() ? "as a device" : "as a plain service";
  if (works) {
    return {.name = "installed",
            .detail = driver.service_installed ? fmt::format("{}, running: {}", kind, driver.file) : "running",
            .fix = {}};
  }
  if (driver.device_problem.value_or(0) != 0) return device_problem(*driver.device_problem);
  if (!driver.service_installed) {
    return {
        .name = "installed", .status = CheckStatus::fail, .detail = "wperf-driver is not installed", .fix = kInstall};
  }
  if (!driver.file.empty() && !driver.file_exists) {
    return {.name = "installed",
            .status = CheckStatus::fail,
            .detail = driver.file + " is registered but missing",
            .fix = kReinstall};
  }
  if (driver.running) {
    return {.name = "installed", .detail = fmt::format("{}, running: {}", kind, driver.file), .fix = {}};
  }
  Check check{.name = "installed",
              .status = CheckStatus::fail,
              .detail = fmt::format("{}, but not running: {}", kind, driver.file),
              .fix = driver.device_problem.has_value() ? "restart Windows, or install the driver again"
                                                       : "run `sc start WPERFDRV` as administrator"};
  if (driver.last_error != 0) check.detail += "; its last start failed: " + driver.error_text;
  if (driver.last_error == kBadImageHash) check.fix = "see the checks `signature`, `test-mode` and `secure-boot`";
  return check;
}

Check check_other(const windows::OtherDriver& other) {
  return {.name = "windowsperf",
          .detail = fmt::format(
              "the driver of Arm's WindowsPerf is installed too, as {}; use it with --device windowsperf. The counters "
              "that it uses are not free for wperf's own driver",
              other.instance_id),
          .fix = {}};
}

Check check_signature(const DriverFacts& driver, bool works) {
  const std::string signer = driver.signer.empty() ? "an unnamed signer" : driver.signer;
  if (driver.signature_trusted) return {.name = "signature", .detail = "signed by " + signer, .fix = {}};
  Check check{
      .name = "signature",
      .status = works ? CheckStatus::ok : CheckStatus::warn,
      .detail = fmt::format("signed by {}, whom this Windows does not trust: {}", signer, driver.signature_error),
      .fix = works ? "" : "install the certificate that came with the driver, or a driver signed by Microsoft"};
  if (!driver.file_signed) {
    check.detail = "the driver's file is not signed";
    check.fix = works ? "" : "install a signed driver: Windows on Arm loads no unsigned drivers";
  }
  return check;
}

// A driver signed with a test certificate is loaded only in test mode, which Secure Boot forbids.
Check check_test_mode(const WindowsFacts& windows, bool works) {
  if (!windows.test_signing.has_value()) {
    return {
        .name = "test-mode", .status = CheckStatus::warn, .detail = "unknown: Windows does not report it", .fix = {}};
  }
  if (*windows.test_signing) return {.name = "test-mode", .detail = "on", .fix = {}};
  if (works) return {.name = "test-mode", .detail = "off; the driver runs without it", .fix = {}};
  return {.name = "test-mode",
          .status = CheckStatus::warn,
          .detail = "off: Windows does not load a driver signed with a test certificate",
          .fix = "run `bcdedit /set testsigning on` as administrator and restart Windows"};
}

Check check_secure_boot(const WindowsFacts& windows, bool works) {
  if (!windows.secure_boot.has_value()) {
    return {.name = "secure-boot",
            .detail = "unknown: Windows does not report it; most likely the firmware has no Secure Boot",
            .fix = {}};
  }
  if (!*windows.secure_boot) return {.name = "secure-boot", .detail = "off", .fix = {}};
  if (works || windows.test_signing.value_or(false)) return {.name = "secure-boot", .detail = "on", .fix = {}};
  return {.name = "secure-boot",
          .status = CheckStatus::warn,
          .detail = "on: test mode cannot be enabled",
          .fix =
              "use a driver signed by Microsoft, or turn Secure Boot off in the firmware (have the BitLocker recovery "
              "key ready)"};
}

Check check_memory_integrity(const WindowsFacts& windows) {
  const char* detail = "unknown: Windows does not report it";
  if (windows.memory_integrity.has_value()) {
    detail =
        *windows.memory_integrity ? "on: the hypervisor checks kernel code; wperf-driver has no writable code" : "off";
  }
  return {.name = "memory-integrity", .detail = detail, .fix = {}};
}

Check check_hypervisor(const WindowsFacts& windows) {
  if (os::is_virtual_machine(windows.model)) {
    return {.name = "hypervisor",
            .status = CheckStatus::warn,
            .detail = fmt::format("this is a virtual machine ({}); the check `pmu` shows whether it has counters",
                                  windows.model),
            .fix = fmt::format("if it has none, enable its virtual PMU, or measure on the physical machine; {}",
                               plan::kSamplingInVirtualMachines)};
  }
  const std::string model = windows.model.empty() ? "an unnamed model" : windows.model;
  if (windows.memory_integrity.value_or(false)) {
    return {.name = "hypervisor",
            .detail = fmt::format("{}; Windows runs on its own hypervisor, which may reserve counters", model),
            .fix = {}};
  }
  return {.name = "hypervisor", .detail = fmt::format("{}, no virtual machine", model), .fix = {}};
}

Check check_privileges(const WindowsFacts& windows) {
  if (windows.administrator)
    return {.name = "privileges", .detail = "administrator: may measure everything", .fix = {}};
  if (windows.performance_log_user) {
    return {
        .name = "privileges",
        .detail = "member of Performance Log Users: no kernel code (-k), no programs of other users, no DSU and DMC",
        .fix = {}};
  }
  return {
      .name = "privileges",
      .status = CheckStatus::fail,
      .detail = "neither administrator nor member of Performance Log Users: the driver accepts no other users",
      .fix =
          windows.could_be_administrator
              ? "open the terminal with `Run as administrator`"
              : "have an administrator run `net localgroup \"Performance Log Users\" NAME /add`, then sign in again"};
}

}  // namespace

std::vector<Check> windows_checks(const WindowsFacts& windows, const DriverFacts& driver, bool works) {
  std::vector<Check> checks{check_windows(windows, works), check_installed(driver, works)};
  for (const windows::OtherDriver& other : driver.others) checks.push_back(check_other(other));
  if (driver.signature_known) checks.push_back(check_signature(driver, works));
  checks.push_back(check_test_mode(windows, works));
  checks.push_back(check_secure_boot(windows, works));
  checks.push_back(check_memory_integrity(windows));
  checks.push_back(check_hypervisor(windows));
  checks.push_back(check_privileges(windows));
  return checks;
}

}  // namespace wperf::doctor
