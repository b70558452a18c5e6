// SPDX-License-Identifier: BSD-3-Clause
// `report --spans`: how often and how long programs were in the spans that they marked in a trace of Windows. `--span`:
// only the activity of their threads in spans of one name.
#pragma once
#include <string>
#include <string_view>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "app/show/report_options.h"
#include "formats/etl/trace.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

diag::Result<void> report_spans(const etl::Trace& trace, const ReportOptions& options, diag::Console& console);

// Spans of this name, or PROVIDER/NAME; an error lists the existing ones.
diag::Result<recording::ChosenSpans> choose_spans(const etl::Trace& trace, std::string_view name,
                                                  diag::Console& console);

}  // namespace wperf::show
