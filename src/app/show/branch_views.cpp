// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/branch_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "formats/perf_data/aux_traces.h"
#include "views/report/branch_report.h"

namespace wperf::show {

diag::Error no_branches(const std::string& file) {
  return {.text = fmt::format("--branches needs recorded branches, and {} has none",
                              file.empty() ? std::string("this recording") : file),
          .hint =
              "where the CPU has LBR or BRBE, `wperf record --branches` and `perf record -b` record them; on Arm, so "
              "does SPE: -e arm_spe_0/branch_filter=1/"};
}

diag::Result<void> show_branches(const perf_data::PerfFile& file, const ReportOptions& options,
                                 diag::Console& console) {
  const std::optional<perf_data::AuxTraces> traces = spe_traces(file);
  const bool of_spe = std::none_of(file.attrs().begin(), file.attrs().end(),
                                   [](const perf_data::Event& event) { return event.attributes.has_taken_branches(); });
  if (of_spe && !traces.has_value()) return no_branches(options.file);
  recording::ReadOptions wanted = options.read;
  wanted.branches = true;
  wanted.callers = wanted.cores = wanted.core_kinds = false;
  if (of_spe) {
    warn_of_missing_times(*traces, options, console);
    wanted.traces = &*traces;
  }
  WPERF_TRY(const recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  const report::BranchOptions shown{.filter = options.tables.filter,
                                    .relative = options.tables.relative,
                                    .of_spe = of_spe,
                                    .lines = wanted.lines,
                                    .rows = options.tables.rows,
                                    .width = options.tables.width};
  return output::show(
      options.outputs, console, [&] { return report::branches_text(recorded.profile, shown); },
      [&] { return report::branches_json(recorded.profile, shown); });
}

}  // namespace wperf::show
