// SPDX-License-Identifier: BSD-3-Clause
// Shows the contents of a Windows trace that the options request: samples, spans, or the events of its providers.
#pragma once
#include "app/show/report_options.h"
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/stacks/trace_facts.h"

namespace wperf::show {

diag::Result<void> show_trace(const etl::Trace& trace, const ReportOptions& options, diag::Console& console);

// Prints the losses of a Windows trace as warnings before all results. JSON answers also contain them.
void warn_of_trace_losses(const stacks::TraceFacts& facts, const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
