// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/run_providers.h"

#include "analysis/recording/trace_marks.h"
#include "analysis/recording/trace_recording.h"
#include "app/commands/records_output.h"
#include "app/commands/trace_losses.h"
#include "app/output/outputs.h"
#include "views/report/trace_providers_text.h"

namespace wperf::commands {
namespace {

recording::TraceProviderReader::Choice choice_of(const request::RecordingView& view) {
  recording::TraceProviderReader::Choice choice{.processes = view.pids, .threads = view.tids};
  if (!view.time.has_value()) return choice;
  if (view.time->from.has_value()) choice.from = static_cast<u64>(*view.time->from * 1e9);
  if (view.time->to.has_value()) choice.to = static_cast<u64>(*view.time->to * 1e9);
  return choice;
}

// Lines, as the samples of other reports.
diag::Result<void> write_marks(const recording::TraceProviderReader& reader, const request::Request& request,
                               diag::Console& console) {
  constexpr usize kPart = 64 << 10;
  WPERF_TRY(RecordsOutput output, RecordsOutput::open(request, console));
  std::string part;
  const auto deliver = [&] {
    output.write(part);
    part.clear();
  };
  reader.for_each_mark(choice_of(request.recording), [&](const stacks::TraceMark& mark) {
    output.json() ? report::append_mark_json(part, mark) : report::append_mark_text(part, mark);
    if (part.size() > kPart) deliver();
  });
  deliver();
  return output.close();
}

}  // namespace

diag::Result<void> report_providers(const etl::Trace& trace, const request::Request& request, diag::Console& console) {
  recording::TraceProviderReader reader(trace);
  etl::TraceLosses losses;
  stacks::TraceProviders providers = reader.count(losses);
  providers.file = request.data_file.value_or("");
  const stacks::TraceFacts facts = recording::trace_facts(trace, losses);
  tell_trace_losses(facts, request, console);
  if (request.sampling.records_file.has_value()) return write_marks(reader, request, console);
  const usize width = console.animated() ? console.width() : 0;
  return output::show(
      request.outputs, console, [&] { return report::providers_text(providers, request.sampling.display.rows, width); },
      [&] { return report::providers_json(providers, facts); });
}

}  // namespace wperf::commands
