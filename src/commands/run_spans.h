// SPDX-License-Identifier: BSD-3-Clause
// `report --spans`: how often and how long programs were in what they marked in a trace of Windows. `--span`: only what
// their threads did in spans of one name. Called by run_report.
#pragma once
#include <string>
#include <string_view>

#include "diag/console.h"
#include "diag/result.h"
#include "import/etl/trace.h"
#include "recording/recorded_switches.h"
#include "recording/span_pairing.h"
#include "request/request.h"

namespace wperf::commands {

diag::Result<void> report_spans(const etl::Trace& trace, const request::Request& request, diag::Console& console);

// Of this name, or PROVIDER/NAME; an error lists those that there are.
diag::Result<recording::ChosenSpans> choose_spans(const etl::Trace& trace, std::string_view name,
                                                  diag::Console& console);

}  // namespace wperf::commands
