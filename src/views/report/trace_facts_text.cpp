// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/trace_facts_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/document_version.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

std::string gap_line(const stacks::TraceGapFacts& gap) {
  const std::string what = gap.buffers == 0   ? "data is missing"
                           : gap.buffers == 1 ? "a buffer is missing"
                                              : fmt::format("{} buffers are missing", text::with_commas(gap.buffers));
  const std::string where = gap.core.has_value() ? fmt::format("on core {}", *gap.core) : "on an unknown core";
  return fmt::format("{} {} between {:.6f} s and {:.6f} s ({})", what, where, trace_seconds(gap.begin),
                     trace_seconds(gap.end), gap.evidence);
}

constexpr u32 kNotKnown = ~u32{0};

void kind_columns(Columns& to, const stacks::ProviderEvent& kind) {
  const auto seconds = [&](std::string_view title, std::string_view key, u64 ns) {
    to.add({title, key}, Decimals{trace_seconds(ns), 9}, text::fixed(trace_seconds(ns), 6));
  };
  to.add({"event", "event", 2}, kind.name,
         kind.name.empty() ? std::to_string(kind.id) : fmt::format("{} ({})", kind.name, kind.id));
  to.member("id", kind.id);
  to.count({"events", "count"}, kind.count);
  to.count({"bytes", "bytes"}, kind.bytes);
  seconds("first (s)", "first_s", kind.first);
  seconds("last (s)", "last_s", kind.last);
  to.count({"threads", "threads"}, kind.threads);
  to.add({.text = "read", .key = "read", .place = 1, .align = Align::left}, kind.is_read, kind.is_read ? "yes" : "no");
}

void append_provider(std::string& out, const stacks::TraceProvider& provider, u32 rows, usize width) {
  std::string name = provider.name.empty() ? "unknown provider" : provider.name;
  if (!provider.guid.empty()) name += " {" + provider.guid + "}";
  append_line_within(out,
                     fmt::format("\n{}: {} events, {} bytes", name, text::with_commas(provider.events),
                                 text::with_commas(provider.bytes)),
                     width);
  const auto shown = std::span(provider.kinds).first(std::min<usize>(rows, provider.kinds.size()));
  append_table_within(out, table_of(shown, kind_columns), width);
  if (provider.kinds.size() > rows) {
    fmt::format_to(std::back_inserter(out), "… and {} more kinds of events: --sample-display-row {}\n",
                   provider.kinds.size() - rows, provider.kinds.size());
  }
}

void write_provider(text::JsonWriter& json, const stacks::TraceProvider& provider) {
  const auto number = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object();
  json.string("provider", provider.name);
  json.string("guid", provider.guid);
  number("events", provider.events);
  number("bytes", provider.bytes);
  write_rows(json, "kinds", provider.kinds, kind_columns);
  json.end_object();
}

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

std::vector<std::string> trace_loss_lines(const stacks::TraceFacts& trace, bool all_gaps) {
  constexpr usize kFew = 3;
  std::vector<std::string> lines;
  const auto say = [&](u64 count, std::string_view one, std::string_view more) {
    if (count != 0) lines.push_back(fmt::format("{} {}", text::with_commas(count), count == 1 ? one : more));
  };
  say(trace.events_lost, "event was lost while recording: the session's buffers were full",
      "events were lost while recording: the session's buffers were full");
  say(trace.buffers_lost, "buffer was lost while recording: the disk was too slow, or full",
      "buffers were lost while recording: the disk was too slow, or full");
  say(trace.flagged_buffers, "buffer reports that data before it was lost",
      "buffers report that data before them was lost");
  say(trace.missing_buffers - trace.missing_at_end, "buffer is missing: its number is skipped",
      "buffers are missing: their numbers are skipped");
  if (trace.missing_at_end != 0) {
    lines.push_back(fmt::format("the last {} of {} buffers are missing: the file ends early",
                                text::with_commas(trace.missing_at_end), text::with_commas(trace.buffers_written)));
  }
  const usize shown = all_gaps ? trace.gaps.size() : std::min(trace.gaps.size(), kFew);
  for (usize i = 0; i < shown; ++i) lines.push_back(gap_line(trace.gaps[i]));
  if (shown != trace.gaps.size()) {
    lines.push_back(fmt::format("{} more such times are shown with -v", text::with_commas(trace.gaps.size() - shown)));
  }
  const usize shown_seconds = all_gaps ? trace.lost_over_time.size() : std::min(trace.lost_over_time.size(), kFew);
  for (usize i = 0; i < shown_seconds; ++i) {
    const stacks::TraceLossSpan& one = trace.lost_over_time[i];
    lines.push_back(fmt::format("from {:.1f} s to {:.1f} s of the recording, Windows lost {} events and {} buffers",
                                trace_seconds(one.begin), trace_seconds(one.end), text::with_commas(one.events),
                                text::with_commas(one.buffers)));
  }
  if (shown_seconds != trace.lost_over_time.size()) {
    lines.push_back(fmt::format("{} more such seconds are shown with -v",
                                text::with_commas(trace.lost_over_time.size() - shown_seconds)));
  }
  if (trace.events_lost + trace.buffers_lost != 0 && trace.gaps.empty() && trace.lost_over_time.empty()) {
    lines.emplace_back("the trace does not record when these were lost");
  }
  say(trace.cut_buffers, "buffer is cut by the end of the file", "buffers are cut by the ends of files");
  if (trace.damaged_buffers != 0) {
    const std::string bytes = text::with_commas(trace.damaged_bytes);
    say(trace.damaged_buffers, fmt::format("buffer is damaged: {} bytes of it could not be read", bytes),
        fmt::format("buffers are damaged: {} bytes of them could not be read", bytes));
  }
  say(trace.samples_of_nobody, "sample is of a thread that the trace does not name",
      "samples are of threads that the trace does not name");
  say(trace.out_of_order, "event is earlier than the one before it on its core: the trace is damaged",
      "events are earlier than those before them on their cores: the trace is damaged");
  say(trace.unexplained_stacks, "stack has only a key, which the trace does not explain",
      "stacks have only keys, which the trace does not explain");
  return lines;
}

void write_trace_facts(text::JsonWriter& json, const stacks::TraceFacts& trace) {
  const auto count = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object("trace");
  count("events_lost", trace.events_lost);
  count("buffers_lost", trace.buffers_lost);
  count("flagged_buffers", trace.flagged_buffers);
  count("missing_buffers", trace.missing_buffers);
  count("missing_at_end", trace.missing_at_end);
  count("cut_buffers", trace.cut_buffers);
  count("damaged_buffers", trace.damaged_buffers);
  count("damaged_bytes", trace.damaged_bytes);
  count("out_of_order", trace.out_of_order);
  count("samples_of_nobody", trace.samples_of_nobody);
  count("unexplained_stacks", trace.unexplained_stacks);
  count("samples_without_stack", trace.samples_without_stack);
  count("idle_samples_left_out", trace.idle_samples);
  json.begin_array("gaps");
  for (const stacks::TraceGapFacts& gap : trace.gaps) {
    json.begin_object();
    json.string("told_by", gap.evidence);
    if (gap.core.has_value()) count("core", *gap.core);
    json.fixed("from_s", trace_seconds(gap.begin), 9);
    json.fixed("to_s", trace_seconds(gap.end), 9);
    if (gap.buffers != 0) count("buffers", gap.buffers);
    json.end_object();
  }
  json.end_array();
  if (!trace.lost_over_time.empty()) {
    json.begin_array("lost_over_time");
    for (const stacks::TraceLossSpan& one : trace.lost_over_time) {
      json.begin_object();
      json.fixed("from_s", trace_seconds(one.begin), 3);
      json.fixed("to_s", trace_seconds(one.end), 3);
      count("events", one.events);
      count("buffers", one.buffers);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

std::string providers_text(const stacks::TraceProviders& providers, u32 rows, usize width) {
  std::string out;
  append_line_within(out,
                     fmt::format("{} events of {} providers, {} bytes, in {}", text::with_commas(providers.events),
                                 text::with_commas(providers.providers.size()), text::with_commas(providers.bytes),
                                 text::duration(trace_seconds(providers.duration))),
                     width);
  if (providers.disk_reads + providers.disk_writes != 0) {
    append_line_within(
        out,
        fmt::format("disks: {} reads, {} bytes; {} writes, {} bytes", text::with_commas(providers.disk_reads),
                    text::with_commas(providers.disk_read_bytes), text::with_commas(providers.disk_writes),
                    text::with_commas(providers.disk_written_bytes)),
        width);
  }
  if (providers.hard_faults != 0) {
    append_line_within(out,
                       fmt::format("hard faults: {}, {} bytes", text::with_commas(providers.hard_faults),
                                   text::with_commas(providers.hard_fault_bytes)),
                       width);
  }
  for (const stacks::TraceProvider& provider : providers.providers) append_provider(out, provider, rows, width);
  return out;
}

std::string providers_json(const stacks::TraceProviders& providers, const stacks::TraceFacts& trace) {
  std::string out;
  text::JsonWriter json(out);
  const auto number = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_object("providers");
  json.string("file", providers.file);
  json.fixed("seconds", trace_seconds(providers.duration), 9);
  number("events", providers.events);
  number("bytes", providers.bytes);
  number("disk_reads", providers.disk_reads);
  number("disk_read_bytes", providers.disk_read_bytes);
  number("disk_writes", providers.disk_writes);
  number("disk_written_bytes", providers.disk_written_bytes);
  number("hard_faults", providers.hard_faults);
  number("hard_fault_bytes", providers.hard_fault_bytes);
  write_trace_facts(json, trace);
  json.begin_array("providers");
  for (const stacks::TraceProvider& provider : providers.providers) write_provider(json, provider);
  json.end_array();
  json.end_object();
  json.end_object();
  return out;
}

void append_mark_text(std::string& out, const stacks::TraceMark& mark) {
  const auto id = [](u32 number) { return number == kNotKnown ? std::string("-") : std::to_string(number); };
  fmt::format_to(std::back_inserter(out), "{:.9f} {} {}/{} [{}] {}/{}", trace_seconds(mark.time),
                 mark.process_name.empty() ? "-" : mark.process_name, id(mark.process), id(mark.thread), mark.core,
                 mark.provider, mark.event);
  for (const stacks::TraceMark::Field& field : mark.fields) {
    if (field.is_number) {
      fmt::format_to(std::back_inserter(out), " {}={}", field.name, field.value);
    } else {
      fmt::format_to(std::back_inserter(out), " {}=\"{}\"", field.name, field.value);
    }
  }
  if (mark.is_cut) out += " …";
  if (mark.fields.empty()) fmt::format_to(std::back_inserter(out), " ({} bytes)", mark.bytes);
  out += '\n';
}

void append_mark_json(std::string& out, const stacks::TraceMark& mark) {
  text::JsonWriter json(out);
  const auto number = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object();
  json.fixed("time_s", trace_seconds(mark.time), 9);
  if (mark.process != kNotKnown) number("pid", mark.process);
  if (mark.thread != kNotKnown) number("tid", mark.thread);
  if (!mark.process_name.empty()) {
    json.string("process", mark.process_name);
  }
  number("core", mark.core);
  json.string("provider", mark.provider);
  json.string("event", mark.event);
  number("bytes", mark.bytes);
  json.begin_object("fields");
  for (const stacks::TraceMark::Field& field : mark.fields) {
    json.key(field.name);
    field.is_number ? json.digits(field.value) : json.string(field.value);
  }
  json.end_object();
  if (mark.is_cut) {
    json.boolean("fields_cut", true);
  }
  json.end_object();
  out += '\n';
}

std::string span_time(u64 nanoseconds) {
  constexpr u64 kMillisecond = 1'000'000;
  if (nanoseconds >= kMillisecond) return text::duration(trace_seconds(nanoseconds));
  return text::fixed(static_cast<double>(nanoseconds) / 1e3, 1) + " us";
}

std::string unpaired_text(u64 unclosed, u64 unopened) {
  std::string text;
  if (unclosed != 0) text = text::counted(unclosed, "start") + " without a stop";
  if (unopened == 0) return text;
  if (!text.empty()) text += ", ";
  return text + text::counted(unopened, "stop") + " without a start";
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
    append_line_within(out, "the trace has no samples, so it is not known how long threads ran in spans", width);
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
  json.integer("version", kDocumentVersion);
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
