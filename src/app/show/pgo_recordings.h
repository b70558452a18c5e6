// SPDX-License-Identifier: BSD-3-Clause
// Reads recordings of any form for `pgo`: adds their samples and branch stacks to the counts.
#pragma once
#include <string>

#include "analysis/pgo/profile_counts.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// `options.file` names the recording.
diag::Result<void> add_pgo_recording(const ReportOptions& options, pgo::ProfileCounts& counts, diag::Console& console);

}  // namespace wperf::show
