// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor/linux_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wperf::doctor {
namespace {

using answers::Check;
using answers::CheckStatus;
using linux_kernel::LinuxFacts;

constexpr int kOwnProgramsUserMode = 2;  // levels of kernel.perf_event_paranoid
constexpr int kOwnProgramsAndKernel = 1;
constexpr int kWholeCores = 0;

Check check_kernel(const LinuxFacts& facts) {
  if (facts.paranoid.has_value()) return {.name = "kernel", .detail = facts.release + ", with perf events", .fix = {}};
  return {.name = "kernel",
          .status = CheckStatus::fail,
          .detail = facts.release + ", without perf events",
          .fix = "wperf needs a kernel with CONFIG_PERF_EVENTS, and a container that does not hide /proc/sys"};
}

// The rights of this user. The setting does not decide by itself: capabilities, namespaces and filters of system calls
// matter, too, and levels above 2 have a meaning on some kernels only.
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
              .detail = "nothing may be measured, tested with your own programs" + setting,
              .fix = fix_with("", kOwnProgramsUserMode)};
  if (*facts.paranoid <= kOwnProgramsUserMode) {
    check.fix =
        "the setting would allow it, so a sandbox or system call filter (as in containers) forbids perf_event_open; "
        "allow it there";
  }
  return check;
}

Check check_counters_of(const LinuxFacts& facts) {
  if (facts.counter_trouble.empty()) {
    return {.name = "pmu",
            .detail = fmt::format(
                "counted {} cycles in a short loop; event sources of the cores: {}", facts.cycles,
                facts.core_units.empty() ? "unnamed" : fmt::format("{}", fmt::join(facts.core_units, ", "))),
            .fix = {}};
  }
  // Then the machine's counters are unknown.
  if (!facts.own_programs) {
    return {.name = "pmu",
            .status = CheckStatus::warn,
            .detail = fmt::format("unknown: the cycle counter was refused ({})", facts.counter_trouble),
            .fix = "see the check `rights`"};
  }
  return {.name = "pmu",
          .status = CheckStatus::warn,
          .detail = fmt::format("no cycle counter: {}", facts.counter_trouble),
          .fix =
              "software events and sampling by cpu-clock work without it; in a virtual machine the host must pass the "
              "counters through"};
}

Check check_units(const LinuxFacts& facts) {
  return {
      .name = "units",
      .detail = facts.other_units.empty() ? "only the cores" : fmt::format("{}", fmt::join(facts.other_units, ", ")),
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

// Which users see addresses of the kernel: none at 2, those with CAP_SYSLOG at 1; at 0 also users who may sample the
// kernel.
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

}  // namespace wperf::doctor
