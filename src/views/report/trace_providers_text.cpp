// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/trace_providers_text.h"

#include <fmt/format.h>

#include <span>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/narrow_table.h"
#include "views/report/trace_facts_text.h"

namespace wperf::report {
namespace {

constexpr u32 kNotTold = ~u32{0};

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

}  // namespace

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
  const auto id = [](u32 number) { return number == kNotTold ? std::string("-") : std::to_string(number); };
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
  if (mark.process != kNotTold) number("pid", mark.process);
  if (mark.thread != kNotTold) number("tid", mark.thread);
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

}  // namespace wperf::report
