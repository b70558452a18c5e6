// SPDX-License-Identifier: BSD-3-Clause
// Recordings of any form, read for `pgo`: their samples and branch stacks are added to the counts.
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
