// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.9. One client searches for events one level above their place in the schema, so they are in both places.
// Clients allow additional keys.
#include <algorithm>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/spe_report.h"
#include "views/report/spe_tables.h"

namespace wperf::report {
namespace {

void write_table(text::JsonWriter& json, std::string_view key, const Table& table) {
  json.key(key);
  write_rows(json, table);
}

void write_shared(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options) {
  json.begin_array("false_sharing");
  const std::vector<operations::SharedLine>& lines = profile.memory->shared;
  for (usize i = 0; i < std::min<usize>(lines.size(), options.memory_rows); ++i) {
    const operations::SharedLine& line = lines[i];
    json.begin_object();
    json.string("cache_line", text::hex(line.address, 1));
    json.integer("hits", line.hits);
    json.integer("refills", line.refills);
    json.integer("peer", line.peer);
    json.fixed("mean", line.mean_latency, 1);
    json.integer("threads", line.threads);
    json.boolean("same_offset", line.same_offset);
    json.integer("hits_without_place", line.without_place);
    write_table(json, "places", sharing_table(profile, line));
    json.end_object();
  }
  json.end_array();
}

void write_limits(text::JsonWriter& json, const operations::MemoryLimits& limits) {
  json.begin_object("limits");
  json.integer("saturated_latencies", limits.saturated);
  json.integer("loads_without_source", limits.loads_without_source);
  json.integer("stores_without_source", limits.stores_without_source);
  json.integer("unnamed_sources", limits.unnamed_sources);
  json.boolean("threads_known", limits.threads_known);
  json.boolean("latencies_rounded", limits.latencies_rounded);
  json.integer("cache_lines", limits.line_count);
  json.integer("forgotten_line_hits", limits.forgotten_lines);
  json.integer("pages", limits.page_count);
  json.integer("forgotten_page_hits", limits.forgotten_pages);
  json.end_object();
}

std::string document(const SampleJsonParts& parts, const operations::SpeProfile& profile,
                     const answers::CountProfile& counting, const SpeOptions& options, const WriteMembers& more) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.begin_object("sampling");
  json.written("events", parts.events);
  json.written("sampling", parts.sampling);
  if (options.memory && profile.memory.has_value()) {
    json.key("memory");
    write_memory(json, profile, options);
  }
  if (const std::vector<std::string> notes = spe_notes(profile, options); !notes.empty()) {
    json.begin_array("notes");
    for (const std::string& note : notes) json.string(note);
    json.end_array();
  }
  json.end_object();
  json.key("counting");
  write_count(json, counting);
  if (more) more(json);
  json.end_object();
  return out;
}

}  // namespace

void write_memory(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options) {
  const operations::MemoryProfile& memory = *profile.memory;
  json.begin_object();
  json.integer("hits", memory.all.hits);
  json.integer("loads", memory.all.loads);
  json.integer("stores", memory.all.stores);
  json.integer("cycles", memory.all.latency_sum);
  write_table(json, "sources", source_table(memory));
  write_table(json, "latencies", latency_rows(memory));
  write_table(json, "functions", access_symbol_table(profile, options));
  write_table(json, "lines", access_line_table(profile, options));
  write_table(json, "pages", page_table(memory, options));
  write_table(json, "cache_lines", data_line_table(profile, options));
  write_shared(json, profile, options);
  write_table(json, "tlb_walks", walk_table(profile, options));
  write_table(json, "branches", branch_table(profile, options));
  write_limits(json, memory.limits);
  json.end_object();
}

std::string spe_json(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options, const WriteMembers& more) {
  const answers::CountProfile counts = counting != nullptr ? *counting : answers::CountProfile{};
  SampleOptions samples = options.samples;
  if (samples.most_bytes != 0) {
    const usize around = document({}, profile, counts, options, {}).size();
    samples.most_bytes = std::max<usize>(1, samples.most_bytes - std::min(samples.most_bytes, around));
  }
  return document(sample_json_parts(view, samples), profile, counts, options, more);
}

}  // namespace wperf::report
