// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording of this machine, and its losses by cause. What happened to programs meanwhile is
// perf_data::TaskHistory's. Called by measure_samples and by the fuzzer.
#pragma once
#include <string>
#include <vector>

#include "import/perf_data/perf_file.h"
#include "raw/samples.h"

namespace wperf::recording {

// `events`: names in the order of the plan; those of the file are told apart by them. Losses stand with the core that
// the recording names, or with core 0.
raw::SampleCapture capture_of(const perf_data::PerfFile& file, const std::vector<std::string>& events);

}  // namespace wperf::recording
