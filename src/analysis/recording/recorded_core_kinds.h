// SPDX-License-Identifier: BSD-3-Clause
// The kinds of cores that the samples of a perf.data file were taken on.
#pragma once
#include "formats/perf_data/perf_file.h"
#include "model/stacks/core_kinds.h"

namespace wperf::recording {

// Named after the PMU whose cores the file lists, else after the one that counted the event; on a machine with one kind
// of cores after the machine's name of its processor.
stacks::CoreKinds recorded_core_kinds(const perf_data::PerfFile& file);

}  // namespace wperf::recording
