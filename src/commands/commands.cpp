// SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.h"

#include "commands/run_report.h"
#include "doctor/doctor.h"
#include "measure/machine.h"

namespace wperf::commands {

namespace {

diag::Result<void> run_without_program(const request::Request& request, diag::Console& console) {
  using request::Command;
  switch (request.command) {
    case Command::list:
      return run_list(request, console);
    case Command::man:
      return run_man(request, console);
    case Command::test:
      return run_test(request, console);
    case Command::detect:
      return run_detect(request, console);
    case Command::version:
      return run_version(request, console);
    case Command::doctor:
      return doctor::run_doctor(request, console);
    case Command::report:
      return run_report(request, console);
    default:
      break;
  }
  // No command word: the lock is taken and given back, which is what `wperf --force-lock` alone is for.
  WPERF_TRY(const auto device, measure::open_locked_device(request));
  return {};
}

}  // namespace

diag::Result<int> run(const request::Request& request, diag::Console& console) {
  using request::Command;
  if (request.command == Command::stat) return run_stat(request, console);
  if (request.command == Command::sample || request.command == Command::record) return run_sample(request, console);
  if (request.command == Command::waits) return run_waits(request, console);
  WPERF_CHECK_OK(run_without_program(request, console));
  return 0;
}

}  // namespace wperf::commands
