// SPDX-License-Identifier: BSD-3-Clause
// A recording → WindowsPerf's view of it (views/compat/compat_view.h), with names, lines and code as far as asked for.
// For recordings of Windows programs.
#pragma once
#include <vector>

#include "code/modules/code_file.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/result.h"
#include "model/answers/sampled_run.h"
#include "model/request/request.h"
#include "views/compat/compat_rows.h"

namespace wperf::commands {

// The program of a run, with the files of its modules in their order.
struct RunTarget {
  answers::SampleTarget target;
  std::vector<modules::CodeFile> files;
};
RunTarget target_of_run(const perf_data::PerfFile& file, const perf_data::RunFacts& run,
                        const request::Request& request);

diag::Result<compat::CompatView> recorded_compat(const perf_data::PerfFile& file, const request::Request& request,
                                                 const modules::DownloadProgress& tell_download = {});

}  // namespace wperf::commands
