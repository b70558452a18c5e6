// SPDX-License-Identifier: BSD-3-Clause
// `report --branches`: the branches that the hardware recorded, in branch stacks or as SPE operations.
#pragma once
#include <string>

#include "app/show/report_options.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

diag::Result<void> show_branches(const perf_data::PerfFile& file, const ReportOptions& options, diag::Console& console);
// The error for a recording without branches.
diag::Error no_branches(const std::string& file);

}  // namespace wperf::show
