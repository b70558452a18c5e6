// SPDX-License-Identifier: BSD-3-Clause
// `report --providers`: the events in a trace of Windows, by provider.
#pragma once
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

diag::Result<void> report_providers(const etl::Trace& trace, const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
