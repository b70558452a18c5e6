// SPDX-License-Identifier: BSD-3-Clause
// What a perf.data file says of the kinds of cores that its samples were taken on. Called by recorded_samples.
#pragma once
#include "formats/perf_data/perf_file.h"
#include "model/stacks/core_kinds.h"

namespace wperf::recording {

// Named by the PMU whose cores the file lists, else by the one that counted the event; on a machine with one kind of
// cores by what the machine calls its processor.
stacks::CoreKinds recorded_core_kinds(const perf_data::PerfFile& file);

}  // namespace wperf::recording
