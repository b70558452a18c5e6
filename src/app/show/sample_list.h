// SPDX-License-Identifier: BSD-3-Clause
// `report --records` of a recording that is a list of samples: each of them, in the order of the file.
#pragma once
#include "app/show/report_options.h"
#include "app/show/sample_views.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// To the file of --records, or with "-" to the console.
diag::Result<void> write_sample_lines(const NamedSamples& samples, const ReportOptions& options,
                                      diag::Console& console);

}  // namespace wperf::show
