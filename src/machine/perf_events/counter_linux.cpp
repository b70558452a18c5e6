// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/counter_linux.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "machine/perf_events/system_files.h"

namespace wperf::perf_events {
namespace {

constexpr u64 kWholeCores = 0, kOwnProgramsAndKernel = 1, kOwnPrograms = 2;  // values of kernel.perf_event_paranoid

// For processes that no setting makes accessible: processes of other users, and processes that changed their user.
diag::Error not_own(const std::string& event, Scope scope) {
  return {.text = fmt::format("this user may not measure {} of thread {}: its process belongs to another user", event,
                              scope.thread),
          .hint = "run wperf as root or with the capabilities CAP_PERFMON and CAP_SYS_PTRACE",
          .code = diag::ExitCode::no_device};
}

diag::Error not_allowed(const std::string& event, bool kernel, Scope scope) {
  constexpr const char* kSetting = "/proc/sys/kernel/perf_event_paranoid";
  const SystemFiles files;
  const std::string level = files.text(kSetting).value_or("unknown");
  const bool whole_core = scope.thread < 0;
  const u64 enough = whole_core ? kWholeCores : kernel ? kOwnProgramsAndKernel : kOwnPrograms;
  const bool is_enough = level.starts_with('-') || files.number(kSetting).value_or(enough + 1) <= enough;
  if (!whole_core && is_enough) return not_own(event, scope);
  const std::string where =
      whole_core ? fmt::format("all programs on core {}", scope.core) : fmt::format("thread {}", scope.thread);
  std::string_view otherwise;
  if (whole_core) {
    otherwise = "; up to level 2, you can measure your own programs: `-- PROGRAM` or -p PID";
  } else if (kernel) {
    otherwise = "; up to level 2, you can measure user mode: leave out -k and kernel events";
  }
  return {.text = fmt::format("this user may not measure {} of {}{}: kernel.perf_event_paranoid is {}", event, where,
                              kernel ? " in kernel mode" : "", level),
          .hint = fmt::format("run wperf as root or with the capability CAP_PERFMON, or lower the setting (sysctl "
                              "kernel.perf_event_paranoid={}){}",
                              enough, otherwise),
          .code = diag::ExitCode::no_device};
}

}  // namespace

perf_event_attr attributes_of(const plan::KernelEvent& event, bool kernel, const plan::EventModifiers& modifiers) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  const bool outside_cores = !event.cores.empty();  // such PMUs have no modes and refuse requests for them
  const bool kernel_too = kernel || event.in_kernel || outside_cores;
  attributes.exclude_kernel = kernel_too ? 0 : 1;
  attributes.exclude_hv = kernel_too ? 0 : 1;
  if (modifiers.choose_modes()) {
    attributes.exclude_user = modifiers.user ? 0 : 1;
    attributes.exclude_kernel = modifiers.kernel ? 0 : 1;
    attributes.exclude_hv = modifiers.hypervisor ? 0 : 1;
  }
  attributes.precise_ip = modifiers.precision & 3u;
  attributes.disabled = 1;
  return attributes;
}

Descriptor open_event(perf_event_attr& attributes, Scope scope, int leader) {
  const long number = syscall(SYS_perf_event_open, &attributes, scope.thread, scope.core, leader, PERF_FLAG_FD_CLOEXEC);
  return Descriptor(static_cast<int>(number));
}

namespace {

u32 greatest_group_of(u64 config, u32 most, OpenEvent opener) {
  plan::KernelEvent event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = config;
  std::vector<Descriptor> members;
  while (members.size() < most) {
    perf_event_attr attributes = attributes_of(event, false);
    // Arm's PMU driver ignores disabled events that are not about to be enabled.
    attributes.disabled = attributes.enable_on_exec = members.empty() ? 1 : 0;
    Descriptor member = opener(attributes, {.thread = 0, .core = -1}, members.empty() ? -1 : members.front().number());
    if (!member.is_open()) break;
    members.push_back(std::move(member));
  }
  return static_cast<u32>(members.size());
}

}  // namespace

u32 greatest_group(u32 most, OpenEvent opener) {
  // x86 has fixed counters for instructions and cycles, but not for branch misses. Not every machine counts branch
  // misses.
  for (const u64 config : {PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_INSTRUCTIONS}) {
    const u32 size = greatest_group_of(config, most, opener);
    if (size != 0) return size;
  }
  const u32 with_cycle_counter = greatest_group_of(PERF_COUNT_HW_CPU_CYCLES, most + 1, opener);
  return with_cycle_counter == 0 ? 0 : with_cycle_counter - 1;
}

namespace {

diag::Error meaning(int error, const std::string& event, bool hardware, bool kernel, Scope scope) {
  switch (error) {
    case EACCES:
    case EPERM:
      return not_allowed(event, kernel, scope);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      if (hardware) {
        return {.text = fmt::format("this machine has no hardware counter for {}", event),
                .hint =
                    "in a virtual machine the host must pass the counters through; `wperf list` shows software events, "
                    "which work without them",
                .code = diag::ExitCode::no_device};
      }
      return {.text = fmt::format("this kernel does not know the event {}", event), .hint = {}};
    case ESRCH:
      return {.text = fmt::format("process {} has ended", scope.thread), .hint = {}};
    case EMFILE:
    case ENFILE:
      return {.text = fmt::format("not enough file descriptors to measure {} everywhere", event),
              .hint = "raise the limit (ulimit -n), or choose fewer events or cores"};
    case EBUSY:
      return {.text = fmt::format("another program uses the counter that {} needs", event), .hint = {}};
    default:
      return diag::system_error(
          "the kernel refuses to measure " + event, error,
          error == EINVAL
              ? "a group may be larger than the number of counters, or its events may not be counted together"
              : "");
  }
}

}  // namespace

diag::Error refusal(int error, const std::string& event, bool hardware, bool kernel, Scope scope) {
  diag::Error refused = meaning(error, event, hardware, kernel, scope);
  refused.system_error = error;
  return refused;
}

diag::Error no_room(const std::string& what) {
  return diag::system_error("no memory for " + what, errno,
                            "kernel.perf_event_mlock_kb limits the memory of all measurements of a user: end other "
                            "measurements, choose fewer cores (--cores), or raise the limit");
}

diag::Result<Reading> read_event(const Descriptor& event) {
  u64 words[3] = {};
  if (read(event.number(), words, sizeof words) != sizeof words) {
    return diag::system_error("cannot read a counter", errno);
  }
  return Reading{.value = words[0], .enabled_ns = words[1], .running_ns = words[2]};
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace wperf::perf_events
