// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/spe_views.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/recording/recorded_losses.h"
#include "analysis/recording/sampled_recording.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "app/show/sample_views.h"
#include "views/report/spe_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// The samples of other events in the file; nullopt if it has none. Servers are not asked, as for the SPE records.
diag::Result<std::optional<stacks::StackProfile>> samples_beside(const perf_data::PerfFile& file,
                                                                 const ReportOptions& options, diag::Console& console) {
  recording::ReadOptions wanted = options.read;
  wanted.rows = wanted.code = wanted.code_lines = false;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, {}, console));
  if (recorded.profile.samples.empty()) return std::optional<stacks::StackProfile>();
  return std::optional(std::move(recorded.profile));
}

diag::Result<void> show_own_tables(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                   const ReportOptions& options, diag::Console& console) {
  const perf_data::ReadStatistics& statistics = traces.statistics();
  warn_of_damage(
      {statistics.damaged_places(), statistics.damaged_bytes(), recording::records_in_damage(file, statistics)},
      console);
  if (const u64 missing = traces.missing(); missing != 0) {
    console.warn(fmt::format("warning: {} bytes of SPE data are missing from the file", missing));
  }
  WPERF_TRY(const ReadSpe read, read_recorded_spe(file, traces, options, console));
  const answers::CountProfile* const counting = read.counting.has_value() ? &*read.counting : nullptr;
  const report::SpeOptions shown{
      .samples = options.samples, .memory = options.display.memory, .width = options.tables.width};
  WPERF_TRY(const std::optional<stacks::StackProfile> beside, samples_beside(file, options, console));
  if (!output::silent(options.outputs)) {
    console.out(report::spe_text(read.profile, read.view, counting, shown));
    if (beside.has_value()) console.out('\n' + report::stack_text(*beside, options.tables));
  }
  if (options.wants_spe_json()) {
    report::WriteMembers more;
    if (beside.has_value()) more = [&](text::JsonWriter& json) { write_stack(json, *beside, options.tables); };
    WPERF_CHECK_OK(output::deliver_json(options.outputs,
                                        report::spe_json(read.profile, read.view, counting, shown, more), console));
  }
  if (read.trouble.has_value()) return *read.trouble;
  return {};
}

}  // namespace

diag::Result<void> show_operations(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                   const ReportOptions& options, diag::Console& console) {
  const bool own = !options.wants_views || options.records_file.has_value();
  if (own) return show_own_tables(file, traces, options, console);
  if (options.display.memory) {
    return diag::Error{.text = "--mem has tables of its own; --sort, filters and call trees do not apply to them",
                       .hint = "leave one of them out",
                       .code = diag::ExitCode::usage};
  }
  const bool has_times = traces.time().has_value() && traces.time()->has_zero;
  if (options.read.time.has_value() && !has_times) {
    console.warn("warning: --time drops all SPE records: their clock cannot be related to the recording's");
  }
  recording::SampledRecording source(file);
  source.operations = &traces;
  return show_samples(source, options, console);
}

}  // namespace wperf::show
