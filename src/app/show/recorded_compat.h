// SPDX-License-Identifier: BSD-3-Clause
// A recording → WindowsPerf's view of it (views/compat/compat_view.h), with names, lines and code as far as asked for.
// For recordings of Windows programs.
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

// The program of a run, with the files of its modules in their order.
struct RunTarget {
  answers::SampleTarget target;
  std::vector<modules::CodeFile> files;
};
RunTarget target_of_run(const perf_data::PerfFile& file, const perf_data::RunFacts& run,
                        const modules::SymbolOptions& places);

// `chosen`: the samples, and the places of symbols; the view itself says which details it needs.
diag::Result<compat::CompatView> recorded_compat(const perf_data::PerfFile& file, const recording::ReadOptions& chosen,
                                                 const request::SampleDisplay& display);
// The same, with the progress of downloads.
diag::Result<compat::CompatView> compat_with_progress(const perf_data::PerfFile& file, const ReportOptions& options,
                                                      diag::Console& console);

}  // namespace wperf::show
