// SPDX-License-Identifier: BSD-3-Clause
// The views of samples, for a trace of Windows.
#pragma once
#include "app/show/report_options.h"
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/stacks/trace_facts.h"

namespace wperf::show {

diag::Result<void> show_trace(const etl::Trace& trace, const ReportOptions& options, diag::Console& console);
// The losses, as warnings before all results; the JSON of answers has them too.
void tell_trace_losses(const stacks::TraceFacts& facts, const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
