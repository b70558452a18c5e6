// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with -e arm_spe_0/…/ where wperf's driver profiles: program, profiling and counting at the same
// time become a recording, which is then read as `report` reads any other.
#pragma once
#include "app/measure/recording_run.h"

namespace wperf::measure {

// By the kernel, or by a driver, whose bytes are also written unchanged (contract 9.9).
diag::Result<Recording> record_spe(const MeasureOptions& options, Machine& machine, diag::Console& console);

}  // namespace wperf::measure
