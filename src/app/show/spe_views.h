// SPDX-License-Identifier: BSD-3-Clause
// A recording with operations of SPE: their own tables, or one of the views of samples.
#pragma once
#include "app/show/report_options.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

diag::Result<void> show_operations(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                   const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
