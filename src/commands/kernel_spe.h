// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with Arm SPE where the system's own kernel profiles: what the cores wrote is kept, beside it a
// recording of what was mapped where, and both are read as `report` reads a perf.data file. Called by run_spe.
#pragma once
#include <optional>

#include "diag/console.h"
#include "diag/result.h"
#include "measure/machine.h"
#include "profile/spe_profile.h"
#include "request/request.h"

namespace wperf::commands {

struct KernelSpe {
  profile::SpeProfile profile;
  int status = 0;                      // see status_of_program
  std::optional<diag::Error> trouble;  // the program crashed: what was recorded is still good
};
diag::Result<KernelSpe> measure_kernel_spe(const request::Request& request, measure::Machine& machine,
                                           diag::Console& console);

}  // namespace wperf::commands
