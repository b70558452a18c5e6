// SPDX-License-Identifier: BSD-3-Clause
// `wperf report` of a profile that another program wrote.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// Shows its samples in all views of samples; an option that such a profile cannot answer is an error that names the
// option.
diag::Result<void> report_foreign(const recording::OpenedProfile& opened, const ReportOptions& options,
                                  diag::Console& console);

}  // namespace wperf::show
