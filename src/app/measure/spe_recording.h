// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with -e arm_spe_0/…/ where a driver of ours profiles: program, profiling and counting side by
// side become a recording, which is then read as `report` reads any other. Called by run_sample.
#pragma once
#include "app/measure/recording_run.h"

namespace wperf::measure {

// By the kernel, or by our driver, whose bytes are also written as they came (contract 9.9).
diag::Result<Recording> record_spe(const request::Request& request, Machine& machine, diag::Console& console);

}  // namespace wperf::measure
