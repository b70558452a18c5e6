// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/pgo_recordings.h"

#include <fmt/format.h>

#include "analysis/pgo/branch_stacks.h"
#include "analysis/recording/opened_recording.h"
#include "analysis/recording/sampled_recording.h"
#include "app/measure/tool.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "app/show/trace_views.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// Leaves out losses of callers, because these do not matter for `pgo`.
void note_losses(stacks::StackProfile& profile, const std::string& name, pgo::ProfileCounts& counts) {
  stacks::StackLosses& known = profile.losses;
  known.stacks_cut = known.stacks_without_table = known.stacks_damaged = known.stacks_of_32_bits = 0;
  known.stacks_by_pointers = known.stacks_continued = known.stacks_undelivered = 0;
  for (const report::StackLoss& loss : report::stack_losses(profile)) counts.losses.push_back(name + ": " + loss.text);
}

diag::Result<void> add_perf_data(const perf_data::PerfFile& file, const ReportOptions& options,
                                 pgo::ProfileCounts& counts, diag::Console& console) {
  recording::ReadOptions wanted = options.read;
  wanted.file = options.file;
  wanted.code = wanted.only_native = true;
  wanted.symbols.decorated = true;
  wanted.signatures = wanted.lines = wanted.code_lines = false;
  const std::optional<perf_data::AuxTraces> traces = spe_traces(file);
  if (traces.has_value()) wanted.traces = &*traces;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  note_losses(recorded.profile, options.file, counts);
  const u64 samples_before = counts.samples, stacks_before = counts.branch_stacks;
  pgo::add_samples(recorded, std::max<usize>(file.attrs().size(), 1), counts);
  pgo::add_branch_stacks(file, recorded, wanted.rvas, counts);
  if (traces.has_value()) pgo::add_spe_branches(file, *traces, recorded, wanted.rvas, counts);
  if (counts.branch_stacks == stacks_before) counts.samples_without_stacks += counts.samples - samples_before;
  if (!wanted.rvas) counts.keep_files(recorded);
  return {};
}

diag::Result<void> add_trace(const etl::Trace& trace, const ReportOptions& options, pgo::ProfileCounts& counts,
                             diag::Console& console) {
  WPERF_TRY(const recording::ConvertedTrace converted,
            recording::convert_trace(trace, measure::tool_version(), {}, options.file));
  warn_of_trace_losses(converted.facts, options, console);
  return add_perf_data(converted.file, options, counts, console);
}

}  // namespace

diag::Result<void> add_pgo_recording(const ReportOptions& options, pgo::ProfileCounts& counts, diag::Console& console) {
  WPERF_TRY(const auto opened, recording::OpenedRecording::open({.name = options.file}, console));
  if (opened.counts() != nullptr) return opened.refuse_counts();
  if (opened.perf() != nullptr) return add_perf_data(*opened.perf(), options, counts, console);
  if (opened.trace() != nullptr) return add_trace(*opened.trace(), options, counts, console);
  return diag::usage_error(fmt::format("{} is a profile ({}) and has no addresses of instructions", options.file,
                                       profiles::format_name(opened.profile()->format)),
                           "use the recording that it was made from (perf.data, .etl)");
}

}  // namespace wperf::show
