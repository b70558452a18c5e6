// SPDX-License-Identifier: BSD-3-Clause
// `report --providers`: what events a trace of Windows holds, whoever wrote them. Called by run_report.
#pragma once
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

diag::Result<void> report_providers(const etl::Trace& trace, const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
