// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/wait_rights.h"

#include <fmt/format.h>

namespace wperf::commands {
namespace {

diag::Error without_right(std::string text, std::string hint) {
  return {.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::no_device};
}

}  // namespace

diag::Result<void> check_own_switches(const linux_kernel::LinuxFacts& facts, const request::Request& request) {
  if (!facts.paranoid.has_value()) return {};  // the system has no perf events; the device reports this
  const int level = *facts.paranoid;
  if (!facts.own_programs) {
    std::string text = fmt::format(
        "this user may not record any context switches: kernel.perf_event_paranoid "
        "is {}",
        level);
    if (level <= linux_kernel::kOwnProgramsUserMode) {
      return without_right(std::move(text), linux_kernel::kSandboxHint);
    }
    return without_right(
        std::move(text),
        "run wperf as root or with the capability CAP_PERFMON, or lower the setting: sysctl "
        "kernel.perf_event_paranoid=2 for your own programs, =1 to also see where their threads waited");
  }
  const bool of_all = !request.program.has_value() && !request.process.has_value() && !request.pe_file.has_value();
  if (!of_all || facts.whole_cores) return {};
  return without_right(
      fmt::format(
          "this user may not record the context switches of the whole machine: kernel.perf_event_paranoid is {}",
          level),
      "you can record your own programs: `wperf waits -- PROGRAM` or -p PID; for the whole machine run wperf as root "
      "or with the capability CAP_PERFMON, or set sysctl kernel.perf_event_paranoid=0");
}

}  // namespace wperf::commands
