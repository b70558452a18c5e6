// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/trace_spans_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/narrow_table.h"
#include "views/report/trace_facts_text.h"

namespace wperf::report {
namespace {

auto span_columns(const stacks::SpanTable& spans) {
  return [&spans](Columns& to, const stacks::SpanRow& row) {
    const auto time = [&](std::string_view title, std::string_view key, u64 ns) {
      to.add({title, key, 2}, ns, row.count == 0 ? "-" : span_time(ns));
    };
    to.member("provider", row.provider);
    to.add({"span", "span", 4}, row.name, row.provider + '/' + row.name);
    to.count({"spans", "count", 1}, row.count);
    to.count({"threads", "threads", 3}, row.threads);
    time("total", "total_ns", row.total_ns);
    time("mean", {}, row.total_ns / std::max<u64>(row.count, 1));
    to.member("shortest_ns", row.shortest_ns);
    time("median", "median_ns", row.median_ns);
    time("longest", "longest_ns", row.longest_ns);
    if (!spans.sampled_by.empty()) to.count({"samples", "samples", 2}, row.samples);
    if (!spans.sampled_by.empty() && spans.samples_are_time) time("CPU", "cpu_ns", row.sampled);
    if (!spans.sampled_by.empty() && !spans.samples_are_time) to.count({spans.sampled_by, "sampled", 2}, row.sampled);
    to.count({"unclosed", "unclosed", 3}, row.unclosed);
    to.count({"unopened", "unopened", 3}, row.unopened);
  };
}

}  // namespace

std::string span_time(u64 nanoseconds) {
  constexpr u64 kMillisecond = 1'000'000;
  if (nanoseconds >= kMillisecond) return text::duration(trace_seconds(nanoseconds));
  return text::fixed(static_cast<double>(nanoseconds) / 1e3, 1) + " us";
}

std::string unpaired_text(u64 unclosed, u64 unopened) {
  std::string text;
  if (unclosed != 0)
    text = fmt::format("{} start{} without a stop", text::with_commas(unclosed), unclosed == 1 ? "" : "s");
  if (unopened == 0) return text;
  if (!text.empty()) text += ", ";
  return text + fmt::format("{} stop{} without a start", text::with_commas(unopened), unopened == 1 ? "" : "s");
}

std::string spans_text(const stacks::SpanTable& spans, u32 rows, usize width) {
  std::string out;
  u64 count = 0, unclosed = 0, unopened = 0;
  for (const stacks::SpanRow& row : spans.rows) {
    count += row.count;
    unclosed += row.unclosed;
    unopened += row.unopened;
  }
  append_line_within(
      out, fmt::format("{} spans of {} kinds", text::with_commas(count), text::with_commas(spans.rows.size())), width);
  if (spans.rows.empty()) return out + "no event of the trace has the opcode start or stop\n";
  if (const std::string unpaired = unpaired_text(unclosed, unopened); !unpaired.empty())
    append_line_within(out, unpaired + ": in no span", width);
  if (spans.sampled_by.empty())
    append_line_within(out, "the trace has no samples: what threads worked in spans is not known", width);
  const auto shown = std::span(spans.rows).first(std::min<usize>(rows, spans.rows.size()));
  out += '\n';
  append_table_within(out, table_of(shown, span_columns(spans)), width);
  if (spans.rows.size() > rows) {
    fmt::format_to(std::back_inserter(out), "… and {} more kinds of spans: --sample-display-row {}\n",
                   spans.rows.size() - rows, spans.rows.size());
  }
  return out;
}

std::string spans_json(const stacks::SpanTable& spans, const stacks::TraceFacts& trace) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.begin_object("spans");
  json.string("file", spans.file);
  if (!spans.sampled_by.empty()) json.string("sampled_by", spans.sampled_by);
  write_trace_facts(json, trace);
  write_rows(json, "spans", spans.rows, span_columns(spans));
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace wperf::report
