// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with Arm SPE where the system's own kernel profiles: the cores' bytes and the mappings become a
// recording, which is then read as `report` reads any other.
#pragma once
#include "app/measure/recording_run.h"

namespace wperf::measure {

diag::Result<Recording> record_kernel_spe(const MeasureOptions& options, Machine& machine, diag::Console& console);

}  // namespace wperf::measure
