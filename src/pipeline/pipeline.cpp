// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/pipeline.h"

#include "pipeline/machine.h"
#include "pipeline/run_catalogue.h"
#include "pipeline/run_doctor.h"
#include "pipeline/run_machine.h"
#include "pipeline/run_report.h"
#include "pipeline/run_sample.h"
#include "pipeline/run_stat.h"

namespace wperf::pipeline {

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
      return run_doctor(request, console);
    case Command::report:
      return run_report(request, console);
    default:
      break;
  }
  // No command word: the lock is taken and given back, which is what `wperf --force-lock` alone is for.
  WPERF_TRY(const auto device, open_locked_device(request));
  return {};
}

}  // namespace

diag::Result<int> run(const request::Request& request, diag::Console& console) {
  using request::Command;
  if (request.command == Command::stat) return run_stat(request, console);
  if (request.command == Command::sample || request.command == Command::record) return run_sample(request, console);
  WPERF_CHECK_OK(run_without_program(request, console));
  return 0;
}

}  // namespace wperf::pipeline
