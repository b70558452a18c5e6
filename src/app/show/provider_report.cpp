// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/provider_report.h"

#include "analysis/recording/trace_marks.h"
#include "analysis/recording/trace_recording.h"
#include "app/output/outputs.h"
#include "app/show/records_output.h"
#include "app/show/trace_views.h"
#include "views/report/trace_providers_text.h"

namespace wperf::show {
namespace {

recording::TraceProviderReader::Choice choice_of(const ReportOptions& options) {
  const std::optional<request::TimeSpan>& time = options.read.time;
  recording::TraceProviderReader::Choice choice{.processes = options.tables.filter.pids,
                                                .threads = options.tables.filter.tids};
  if (!time.has_value()) return choice;
  if (time->from.has_value()) choice.from = static_cast<u64>(*time->from * 1e9);
  if (time->to.has_value()) choice.to = static_cast<u64>(*time->to * 1e9);
  return choice;
}

// Lines, as the samples of other reports.
diag::Result<void> write_marks(const recording::TraceProviderReader& reader, const ReportOptions& options,
                               diag::Console& console) {
  constexpr usize kPart = 64 << 10;
  WPERF_TRY(RecordsOutput output, RecordsOutput::open(options, console));
  std::string part;
  const auto deliver = [&] {
    output.write(part);
    part.clear();
  };
  reader.for_each_mark(choice_of(options), [&](const stacks::TraceMark& mark) {
    output.json() ? report::append_mark_json(part, mark) : report::append_mark_text(part, mark);
    if (part.size() > kPart) deliver();
  });
  deliver();
  return output.close();
}

}  // namespace

diag::Result<void> report_providers(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  recording::TraceProviderReader reader(trace);
  etl::TraceLosses losses;
  stacks::TraceProviders providers = reader.count(losses);
  providers.file = options.file;
  const stacks::TraceFacts facts = recording::trace_facts(trace, losses);
  tell_trace_losses(facts, options, console);
  if (options.records_file.has_value()) return write_marks(reader, options, console);
  return output::show(
      options.outputs, console,
      [&] { return report::providers_text(providers, options.tables.rows, options.tables.width); },
      [&] { return report::providers_json(providers, facts); });
}

}  // namespace wperf::show
