// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/trace_views.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/recording/sampled_recording.h"
#include "analysis/recording/span_pairing.h"
#include "analysis/recording/trace_marks.h"
#include "analysis/recording/trace_recording.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/branch_views.h"
#include "app/show/profile_views.h"
#include "app/show/records_output.h"
#include "app/show/sample_views.h"
#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "views/report/trace_facts_text.h"

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

diag::Result<void> report_spans(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  etl::TraceLosses losses;
  const recording::TraceSpans spans = recording::read_spans(trace, losses);
  const stacks::TraceFacts facts = recording::trace_facts(trace, losses);
  warn_of_trace_losses(facts, options, console);
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

// The spans with this name, or PROVIDER/NAME; an error lists the names that exist.
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
  const std::string shown = names.size() == 1 ? *names.begin() : text::joined(names, " and ");
  out.text = fmt::format("{} of {} ({})", text::counted(chosen.size(), "span"), shown,
                         report::span_time(total_of(out.stretches)));
  if (const std::string unpaired = report::unpaired_text(unclosed, unopened); !unpaired.empty())
    console.warn(fmt::format("note: {} has {}, whose length is unknown", shown, unpaired));
  return out;
}

recording::TraceProviderReader::Choice choice_of(const ReportOptions& options) {
  const std::optional<request::TimeSpan>& time = options.read.time;
  recording::TraceProviderReader::Choice choice{.processes = options.tables.filter.pids,
                                                .threads = options.tables.filter.tids};
  if (!time.has_value()) return choice;
  if (time->from.has_value()) choice.from = static_cast<u64>(*time->from * 1e9);
  if (time->to.has_value()) choice.to = static_cast<u64>(*time->to * 1e9);
  return choice;
}

// Writes a line for each mark, like the lines of samples in other reports.
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

diag::Result<void> report_providers(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  recording::TraceProviderReader reader(trace);
  etl::TraceLosses losses;
  stacks::TraceProviders providers = reader.count(losses);
  providers.file = options.file;
  const stacks::TraceFacts facts = recording::trace_facts(trace, losses);
  warn_of_trace_losses(facts, options, console);
  if (options.records_file.has_value()) return write_marks(reader, options, console);
  return output::show(
      options.outputs, console,
      [&] { return report::providers_text(providers, options.tables.rows, options.tables.width); },
      [&] { return report::providers_json(providers, facts); });
}

// The error for a trace without samples; says what the trace contains instead.
diag::Error no_samples(const recording::TraceRecording& recorded, const std::string& name) {
  const bool idle = !recorded.idle_times.empty();
  const std::string switches = recorded.switches_were_on
                                   ? fmt::format("show its context switches with `wperf waits {}`; ", name)
                                   : std::string();
  return {
      .text = fmt::format("{} has no samples: {}", name,
                          idle                       ? "every sample was taken on an idle core"
                          : recorded.samples_were_on ? "the session took none"
                                                     : "sampling was not enabled while it was recorded"),
      .hint = idle ? switches + "--idle shows the samples of idle cores"
                   : fmt::format("{}list the events of the trace with `wperf report {} --providers`", switches, name)};
}

// `--idle` applies only to traces, because recordings on Linux always contain the samples of idle cores.
diag::Result<void> show_samples_of(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  // Waits are part of pages and exports; a perf.data file cannot contain a trace's switches.
  const bool as_recording =
      options.exported.has_value() && options.exported->format == request::ExportFormat::perf_data;
  const bool exports = options.exported.has_value() && !as_recording;
  const recording::TraceConversionOptions conversion{
      .switches = exports || options.pages.html_file.has_value() || options.needs_switches(),
      .running = options.trace.span.has_value(),
      .idle = options.trace.idle,
      .cores = options.trace.cores};
  WPERF_TRY(recording::ConvertedTrace converted,
            recording::convert_trace(trace, measure::tool_version(), conversion, options.file));
  const recording::TraceRecording& made = converted.recording;
  converted.facts.is_without_idle = !made.idle_times.empty();
  warn_of_trace_losses(converted.facts, options, console);
  if (!conversion.cores.empty()) {
    console.warn(
        fmt::format("note: Windows samples all cores; {} samples are left out because they were taken on cores not "
                    "chosen by -c or --cores",
                    text::with_commas(made.samples_of_other_cores)));
  }
  // Exports can include waits, too.
  const bool has_waits = exports && has_place_for_waits(options.exported->format) && !made.switches.switches.empty();
  if (made.samples == 0 && !has_waits) {
    const diag::Error none = no_samples(made, options.is_kept ? options.file : std::string("the recording"));
    // A temporary recording was just made for this report, so the report has no other contents.
    if (exports || !options.is_kept) return none;
    console.warn(fmt::format("note: {}; {}", none.text, none.hint));
  }
  if (as_recording) return export_recording(*converted.mapped, options, console);
  recording::SampledRecording source(std::move(converted));
  if (options.trace.span.has_value()) {
    WPERF_TRY(source.spans, choose_spans(trace, *options.trace.span, console));
  }
  return show_samples(source, options, console);
}

}  // namespace

diag::Result<void> show_trace(const etl::Trace& trace, const ReportOptions& options, diag::Console& console) {
  if (options.branches) return no_branches(options.file);
  if (options.trace.providers) return report_providers(trace, options, console);
  if (options.trace.spans) return report_spans(trace, options, console);
  return show_samples_of(trace, options, console);
}

void warn_of_trace_losses(const stacks::TraceFacts& facts, const ReportOptions& options, diag::Console& console) {
  for (const std::string& line : report::trace_loss_lines(facts, options.outputs.verbose)) {
    console.warn("warning: " + line);
  }
}

}  // namespace wperf::show
