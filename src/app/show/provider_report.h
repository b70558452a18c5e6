// SPDX-License-Identifier: BSD-3-Clause
// `report --providers`: the events in a trace of Windows, by provider.
#pragma once
#include "app/show/report_options.h"
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

diag::Result<void> report_providers(const etl::Trace& trace, const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
