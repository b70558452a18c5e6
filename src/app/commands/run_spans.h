// SPDX-License-Identifier: BSD-3-Clause
// `report --spans`: how often and how long programs were in what they marked in a trace of Windows. `--span`: only what
// their threads did in spans of one name. Called by run_report.
#pragma once
#include <string>
#include <string_view>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

diag::Result<void> report_spans(const etl::Trace& trace, const request::Request& request, diag::Console& console);

// Of this name, or PROVIDER/NAME; an error lists those that there are.
diag::Result<recording::ChosenSpans> choose_spans(const etl::Trace& trace, std::string_view name,
                                                  diag::Console& console);

}  // namespace wperf::commands
