// SPDX-License-Identifier: BSD-3-Clause
// `report --records` of a recording that is a list of samples: each of them, in the order of the file.
#pragma once
#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "model/stacks/stack_rows.h"

namespace wperf::commands {

// To the file of --records, or with "-" to the console. `weights`: by sample, the weight instead of its period; null:
// the period.
diag::Result<void> write_sample_lines(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                                      const std::vector<u64>* weights, const stacks::StackFilter& filter,
                                      const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
