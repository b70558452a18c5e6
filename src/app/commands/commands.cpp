// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/commands/destinations.h"
#include "app/doctor/doctor.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "ground/os/mapped_file.h"
#include "machine/devices/devices.h"

namespace wperf::commands {

namespace {

template <auto Run>
diag::Result<int> done(const request::Request& request, diag::Console& console) {
  WPERF_CHECK_OK(Run(request, console));
  return 0;
}

// For a line without a command word (`wperf --force-lock`): takes the lock and releases it.
diag::Result<void> run_none(const request::Request& request, diag::Console& /*console*/) {
  WPERF_TRY(const auto device, measure::open_locked_device(request));
  return {};
}

using request::Command;

constexpr CommandRow kRows[] = {
    {.command = Command::stat, .run = run_stat, .prints_device = true, .measures = true},
    {.command = Command::sample, .run = run_sample, .prints_device = true, .measures = true},
    {.command = Command::record, .run = run_sample, .prints_device = true, .measures = true},
    {.command = Command::topdown, .run = run_topdown, .prints_device = true, .measures = true},
    {.command = Command::top, .run = run_top, .prints_device = true, .measures = true},
    {.command = Command::waits, .run = run_waits, .prints_device = true, .measures = true},
    {.command = Command::bench, .run = run_bench, .measures = true},
    {.command = Command::doctor, .run = done<doctor::run_doctor>, .measures = true},
    {.command = Command::report, .run = done<run_report>, .needs_device = false},
    {.command = Command::push, .run = done<run_push>, .needs_device = false},
    {.command = Command::pgo, .run = done<run_pgo>, .needs_device = false},
    {.command = Command::diff, .run = run_diff, .needs_device = false},
    {.command = Command::list, .run = done<run_list>},
    {.command = Command::man, .run = done<run_man>},
    {.command = Command::test, .run = done<run_test>},
    {.command = Command::detect, .run = done<run_detect>},
    {.command = Command::schema, .run = done<run_schema>, .needs_device = false},
    {.command = Command::machine, .run = run_live_machine, .needs_device = false, .measures = true},
    {.command = Command::version, .run = done<run_version>},
    {.command = Command::none, .run = done<run_none>},
};

diag::Result<int> run_checked(const request::Request& asked, diag::Console& console) {
  WPERF_CHECK_OK(output::check_files(files_of(asked)));
  const CommandRow& row = row_of(asked.command);
  // The selftest uses all devices, and reading a file needs no device.
  const bool tries_all = asked.command == Command::doctor && asked.doctor.selftest;
  const bool chooses = row.needs_device && asked.device.empty() && !asked.data_file.has_value() && !tries_all;
  if (!chooses) return row.run(asked, console);
  const measure::ChosenDevice chosen = measure::choose_device(asked, devices::devices_here());
  request::Request request = asked;
  request.device = chosen.name;
  if (row.prints_device && !chosen.why.empty()) console.out(chosen.why + "\n");
  return row.run(request, console);
}

}  // namespace

const CommandRow& row_of(Command command) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const CommandRow& row) { return row.command == command; });
  return found != std::end(kRows) ? *found : *(std::end(kRows) - 1);
}

bool measures(const request::Request& asked) {
  const bool only_looks = asked.command == Command::doctor && !asked.doctor.selftest;
  return row_of(asked.command).measures && !asked.data_file.has_value() && !only_looks;
}

diag::Result<int> run(const request::Request& asked, diag::Console& console) {
  diag::Result<int> done = run_checked(asked, console);
  // Reports all truncated files, whatever they were read for: code, names or sources.
  for (const std::string& file : os::MappedFile::take_shrunk()) {
    console.warn(fmt::format(
        "warning: {} became shorter while wperf read it; names, lines and stacks from it may be wrong", file));
  }
  return done;
}

}  // namespace wperf::commands
