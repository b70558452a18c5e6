// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/span_report.h"

#include <fmt/format.h>

#include <set>

#include "analysis/recording/trace_marks.h"
#include "analysis/recording/trace_recording.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/trace_views.h"
#include "ground/text/number_text.h"
#include "views/report/trace_spans_text.h"

namespace wperf::show {
namespace {

std::string full_name(const recording::TraceSpans::Kind& kind) {
  return kind.provider + '/' + kind.name;
}

diag::Error no_such_span(const recording::TraceSpans& spans, std::string_view name) {
  constexpr usize kMost = 20;
  std::set<std::string> names;
  for (const auto& kind : spans.kinds) names.insert(full_name(kind));
  std::string hint = names.empty() ? "the trace has no event with the opcode start or stop" : "available: ";
  usize told = 0;
  for (const std::string& one : names) {
    if (told == kMost) break;
    hint += fmt::format("{}{}", told++ == 0 ? "" : ", ", one);
  }
  if (names.size() > kMost) hint += fmt::format(" and {} more, which --spans lists", names.size() - kMost);
  return {.text = fmt::format("the trace has no span '{}'", name), .hint = std::move(hint)};
}

u64 total_of(const recording::ThreadStretches& stretches) {
  u64 total = 0;
  for (const auto& [thread, own] : stretches) {
    for (const recording::TimeStretch& one : own) total += one.end - one.begin;
  }
  return total;
}

}  // namespace

diag::Result<void> report_spans(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  etl::TraceLosses losses;
  const recording::TraceSpans spans = recording::read_spans(trace, losses);
  const stacks::TraceFacts facts = recording::trace_facts(trace, losses);
  tell_trace_losses(facts, options, console);
  WPERF_TRY(const recording::TraceRecording recorded,
            recording::recording_of_trace(trace, measure::tool_version(), {.running = true}));
  const stacks::SpanTable table{.file = options.file,
                                .sampled_by = recorded.running_event,
                                .samples_are_time = recorded.running_by_time,
                                .rows = recording::span_rows(spans, recorded.switches.running_samples)};
  return output::show(
      options.outputs, console, [&] { return report::spans_text(table, options.tables.rows, options.tables.width); },
      [&] { return report::spans_json(table, facts); });
}

diag::Result<recording::ChosenSpans> choose_spans(const etl::Trace& trace, std::string_view name,
                                                  diag::Console& console) {
  etl::TraceLosses losses;
  const recording::TraceSpans spans = recording::read_spans(trace, losses);
  std::set<std::string> names;
  std::vector<bool> is_chosen(spans.kinds.size());
  u64 unclosed = 0, unopened = 0;
  for (usize i = 0; i < spans.kinds.size(); ++i) {
    const recording::TraceSpans::Kind& kind = spans.kinds[i];
    is_chosen[i] = kind.name == name || full_name(kind) == name;
    if (!is_chosen[i]) continue;
    names.insert(full_name(kind));
    unclosed += spans.paired.unclosed[i];
    unopened += spans.paired.unopened[i];
  }
  if (names.empty()) return no_such_span(spans, name);
  std::vector<recording::PairedSpan> chosen;
  for (const recording::PairedSpan& one : spans.paired.spans) {
    if (is_chosen[one.kind]) chosen.push_back(one);
  }
  recording::ChosenSpans out{.stretches = recording::merged_stretches(chosen), .text = {}};
  const std::string shown = names.size() == 1 ? *names.begin() : fmt::format("{}", fmt::join(names, " and "));
  out.text = fmt::format("{} span{} of {} ({})", text::with_commas(chosen.size()), chosen.size() == 1 ? "" : "s", shown,
                         report::span_time(total_of(out.stretches)));
  if (const std::string unpaired = report::unpaired_text(unclosed, unopened); !unpaired.empty())
    console.warn(fmt::format("note: {} has {}, whose length is unknown", shown, unpaired));
  return out;
}

}  // namespace wperf::show
