// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/commands.h"

#include <fmt/format.h>

#include "app/commands/destinations.h"
#include "app/commands/run_report.h"
#include "app/doctor/doctor.h"
#include "app/measure/device_choice.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "ground/os/mapped_file.h"
#include "machine/devices/devices.h"

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
    case Command::push:
      return run_push(request, console);
    default:
      break;
  }
  // No command word: takes the lock and gives it back, for a lone `wperf --force-lock`.
  WPERF_TRY(const auto device, measure::open_locked_device(request));
  return {};
}

// The selftest tries every device, and files need no device.
bool needs_choice(const request::Request& request) {
  const bool of_file = request.command == request::Command::report || request.command == request::Command::push ||
                       request.command == request::Command::diff || request.data_file.has_value();
  const bool all = request.command == request::Command::doctor && request.doctor.selftest;
  return request.device.empty() && !of_file && !all;
}

diag::Result<int> run_on_device(const request::Request& request, diag::Console& console) {
  using request::Command;
  if (request.command == Command::stat) return run_stat(request, console);
  if (request.command == Command::sample || request.command == Command::record) return run_sample(request, console);
  if (request.command == Command::topdown) return run_topdown(request, console);
  if (request.command == Command::top) return run_top(request, console);
  if (request.command == Command::diff) return run_diff(request, console);
  if (request.command == Command::bench) return run_bench(request, console);
  if (request.command == Command::waits) return run_waits(request, console);
  WPERF_CHECK_OK(run_without_program(request, console));
  return 0;
}

diag::Result<int> run_checked(const request::Request& asked, diag::Console& console) {
  using request::Command;
  WPERF_CHECK_OK(output::check_files(files_of(asked)));
  if (!needs_choice(asked)) return run_on_device(asked, console);
  const measure::ChosenDevice chosen = measure::choose_device(asked, devices::devices_here());
  request::Request request = asked;
  request.device = chosen.name;
  const bool measures = request.command == Command::stat || request.command == Command::record ||
                        request.command == Command::sample || request.command == Command::topdown ||
                        request.command == Command::waits || request.command == Command::top;
  if (measures && !chosen.why.empty()) console.out(chosen.why + "\n");
  return run_on_device(request, console);
}

}  // namespace

diag::Result<int> run(const request::Request& asked, diag::Console& console) {
  diag::Result<int> done = run_checked(asked, console);
  // Whatever they were read for: code, names, sources.
  for (const std::string& file : os::MappedFile::take_shrunk()) {
    console.warn(fmt::format(
        "warning: {} became shorter while wperf read it; names, lines and stacks from it may be wrong", file));
  }
  return done;
}

}  // namespace wperf::commands
