// SPDX-License-Identifier: BSD-3-Clause
// Converts a recording to WindowsPerf's view (views/compat/compat_view.h), with names, lines and code as requested. For
// recordings of Windows programs.
#pragma once
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "app/show/report_options.h"
#include "code/modules/code_file.h"
#include "code/modules/module_files.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/answers/sampled_run.h"
#include "model/request/sampling_options.h"
#include "views/compat/compat_rows.h"

namespace wperf::show {

// The program of a run, and the files of its modules in the same order as the modules.
struct RunTarget {
  answers::SampleTarget target;
  std::vector<modules::CodeFile> files;
};
RunTarget target_of_run(const perf_data::PerfFile& file, const perf_data::RunFacts& run,
                        const modules::SymbolOptions& places);

// `chosen`: selects samples, and where to look for symbols; the details are set by the view. `rows`: functions per
// event.
diag::Result<compat::CompatView> recorded_compat(const perf_data::PerfFile& file, const recording::ReadOptions& chosen,
                                                 const request::SampleDisplay& display, u32 rows);
// The same, showing the progress of downloads.
diag::Result<compat::CompatView> compat_with_progress(const perf_data::PerfFile& file, const ReportOptions& options,
                                                      diag::Console& console);

}  // namespace wperf::show
