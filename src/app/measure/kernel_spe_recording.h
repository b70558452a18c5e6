// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with Arm SPE where the system's own kernel profiles: what the cores wrote and, beside it, what
// was mapped where become a recording, which is then read as `report` reads any other. Called by run_sample.
#pragma once
#include "app/measure/recording_run.h"

namespace wperf::measure {

diag::Result<Recording> record_kernel_spe(const request::Request& request, Machine& machine, diag::Console& console);

}  // namespace wperf::measure
