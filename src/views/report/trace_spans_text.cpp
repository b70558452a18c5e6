// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/trace_spans_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/narrow_table.h"
#include "views/report/trace_facts_text.h"

namespace wperf::report {
namespace {

std::vector<std::string> cells_of(const stacks::SpanRow& row, const stacks::SpanTable& spans) {
  const auto time = [&](u64 ns) { return row.count == 0 ? std::string("-") : span_time(ns); };
  std::vector<std::string> cells{text::with_commas(row.count), time(row.total_ns),
                                 time(row.total_ns / std::max<u64>(row.count, 1)), time(row.median_ns),
                                 time(row.longest_ns)};
  if (!spans.sampled_by.empty()) {
    cells.push_back(text::with_commas(row.samples));
    cells.push_back(spans.samples_are_time ? time(row.sampled) : text::with_commas(row.sampled));
  }
  cells.push_back(text::with_commas(row.threads));
  cells.push_back(text::with_commas(row.unclosed));
  cells.push_back(text::with_commas(row.unopened));
  cells.push_back(row.provider + '/' + row.name);
  return cells;
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
  Table table;
  std::vector<std::string> titles{"spans", "total", "mean", "median", "longest"};
  if (!spans.sampled_by.empty()) {
    titles.insert(titles.end(), {"samples", spans.samples_are_time ? "CPU" : spans.sampled_by});
  }
  titles.insert(titles.end(), {"threads", "unclosed", "unopened"});
  for (std::string& title : titles) table.columns.push_back({.title = std::move(title), .align = Align::right});
  table.columns.push_back({.title = "span", .align = Align::left});
  for (usize i = 0; i < std::min<usize>(rows, spans.rows.size()); ++i)
    table.rows.push_back(cells_of(spans.rows[i], spans));
  out += '\n';
  append_table_within(out, table, width);
  if (spans.rows.size() > rows) {
    fmt::format_to(std::back_inserter(out), "… and {} more kinds of spans: --sample-display-row {}\n",
                   spans.rows.size() - rows, spans.rows.size());
  }
  return out;
}

std::string spans_json(const stacks::SpanTable& spans, const stacks::TraceFacts& trace) {
  std::string out;
  text::JsonWriter json(out);
  const auto number = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object();
  json.begin_object("spans");
  json.string("file", spans.file);
  if (!spans.sampled_by.empty()) json.string("sampled_by", spans.sampled_by);
  write_trace_facts(json, trace);
  json.begin_array("spans");
  for (const stacks::SpanRow& row : spans.rows) {
    json.begin_object();
    json.string("provider", row.provider);
    json.string("span", row.name);
    number("count", row.count);
    number("threads", row.threads);
    number("total_ns", row.total_ns);
    number("shortest_ns", row.shortest_ns);
    number("median_ns", row.median_ns);
    number("longest_ns", row.longest_ns);
    if (!spans.sampled_by.empty()) {
      number("samples", row.samples);
      number(spans.samples_are_time ? "cpu_ns" : "sampled", row.sampled);
    }
    number("unclosed", row.unclosed);
    number("unopened", row.unopened);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace wperf::report
