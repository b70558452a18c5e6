// SPDX-License-Identifier: BSD-3-Clause
// `topdown`: counts in several runs until the bottleneck of each kind of core is known, then samples its functions.
#pragma once
#include <vector>

#include "app/measure/measure_options.h"
#include "app/measure/opened_machine.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/command_views.h"
#include "views/report/topdown_report.h"

namespace wperf::bottleneck {

struct SearchOptions {
  measure::MeasureOptions counting, sampling;  // on the cores that the user chose, or on all cores
  request::TopdownView view = {};
  recording::ReadOptions read = {};  // for functions
  show::NamingOptions naming = {};   // for functions
  show::ReportOptions memory = {};   // for SPE
};

// Returns one result for each kind of core, fewer after Ctrl-C, but at least one. The last result has the notes about
// all kinds.
diag::Result<std::vector<report::Topdown>> find_bottlenecks(const SearchOptions& options,
                                                            measure::OpenedMachine& machine, diag::Console& console);

}  // namespace wperf::bottleneck
