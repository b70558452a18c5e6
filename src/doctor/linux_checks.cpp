// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/linux_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wperf::doctor {
namespace {

using device::LinuxFacts;
using profile::Check;
using profile::CheckStatus;

constexpr int kOwnProgramsUserMode = 2;  // the highest level of perf_event_paranoid that all kernels have
constexpr int kOwnProgramsAndKernel = 1;
constexpr int kWholeCores = 0;

Check check_kernel(const LinuxFacts& facts) {
  if (facts.paranoid.has_value()) return {.name = "kernel", .detail = facts.release + ", with perf events", .fix = {}};
  return {.name = "kernel",
          .status = CheckStatus::fail,
          .detail = facts.release + ", without perf events",
          .fix = "a kernel with CONFIG_PERF_EVENTS is needed, and a container that does not hide /proc/sys"};
}

// What this user may look at: each level forbids what the ones below it allow.
Check check_rights(const LinuxFacts& facts) {
  const int level = *facts.paranoid;
  const std::string setting = fmt::format("kernel.perf_event_paranoid is {}", level);
  if (facts.is_root || facts.can_measure_all) {
    return {.name = "rights", .detail = setting + "; this user may measure everything all the same", .fix = {}};
  }
  if (level <= kWholeCores) return {.name = "rights", .detail = setting + ": programs and whole cores", .fix = {}};
  if (level <= kOwnProgramsUserMode) {
    const bool kernel = level <= kOwnProgramsAndKernel;
    return {.name = "rights",
            .status = CheckStatus::warn,
            .detail = setting + (kernel ? ": your own programs, kernel included; not whole cores"
                                        : ": your own programs in user mode; neither the kernel (-k) nor whole cores"),
            .fix = "for more: root, the capability CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0"};
  }
  return {.name = "rights",
          .status = CheckStatus::fail,
          .detail = setting + ": nothing may be measured",
          .fix = "root, the capability CAP_PERFMON, or sysctl kernel.perf_event_paranoid=2 for your own programs"};
}

Check check_counters_of(const LinuxFacts& facts) {
  if (facts.counter_trouble.empty()) {
    return {.name = "pmu",
            .detail = fmt::format(
                "counted {} cycles in a short loop; units of the cores: {}", facts.cycles,
                facts.core_units.empty() ? "not named" : fmt::format("{}", fmt::join(facts.core_units, ", "))),
            .fix = {}};
  }
  return {.name = "pmu",
          .status = CheckStatus::warn,
          .detail = fmt::format("no cycle counter: {}", facts.counter_trouble),
          .fix =
              "software events and sampling by cpu-clock work without; in a virtual machine the host must pass the "
              "counters through"};
}

Check check_units(const LinuxFacts& facts) {
  return {.name = "units",
          .detail = facts.other_units.empty() ? "none beside the cores"
                                              : fmt::format("{}", fmt::join(facts.other_units, ", ")),
          .fix = {}};
}

Check check_rate(const LinuxFacts& facts) {
  constexpr u64 kDefaultRate = 4000;
  Check check{.name = "rate", .detail = "not told", .fix = {}};
  if (!facts.most_samples.has_value()) return check;
  check.detail = fmt::format("up to {} samples a second (kernel.perf_event_max_sample_rate)", *facts.most_samples);
  if (*facts.most_samples >= kDefaultRate) return check;
  check.status = CheckStatus::warn;
  check.fix =
      fmt::format("the kernel lowered it because sampling took long; --freq {} or less works", *facts.most_samples);
  return check;
}

Check check_tracepoints(const LinuxFacts& facts) {
  if (!facts.tracefs.empty()) return {.name = "tracepoints", .detail = "in " + facts.tracefs, .fix = {}};
  return {.name = "tracepoints",
          .status = CheckStatus::warn,
          .detail = "tracefs may not be read: events like sched:sched_switch cannot be looked up",
          .fix = "mount -t tracefs nodev /sys/kernel/tracing, and run as root or make it readable"};
}

Check check_kernel_names(const LinuxFacts& facts) {
  if (facts.kernel_names) return {.name = "kernel names", .detail = "in /proc/kallsyms", .fix = {}};
  const std::string level = facts.kptr_restrict.has_value() ? std::to_string(*facts.kptr_restrict) : "unknown";
  return {
      .name = "kernel names",
      .status = CheckStatus::warn,
      .detail = fmt::format("hidden: kernel.kptr_restrict is {}; samples in the kernel are shown as [kernel]", level),
      .fix = "root, or sysctl kernel.kptr_restrict=0 together with kernel.perf_event_paranoid=1"};
}

Check check_debug_files(const LinuxFacts& facts) {
  const std::string servers = facts.debug_servers ? "; report --debuginfod may ask the servers of DEBUGINFOD_URLS"
                                                  : "; DEBUGINFOD_URLS names no servers for report --debuginfod";
  if (facts.debug_files) return {.name = "debug files", .detail = "in /usr/lib/debug/.build-id" + servers, .fix = {}};
  return {.name = "debug files",
          .status = CheckStatus::warn,
          .detail = "none in /usr/lib/debug/.build-id: programs of the system have no source lines" + servers,
          .fix = "install the -dbg or -dbgsym packages of what you look into"};
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
