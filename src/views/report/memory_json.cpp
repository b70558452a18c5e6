// SPDX-License-Identifier: BSD-3-Clause
// A document that only wperf has; data/spe/memory.schema describes it. Addresses are text: they need 64 bits, readers
// hold 63.
#include "views/report/memory_json.h"

#include <algorithm>

#include "ground/text/number_text.h"
#include "views/report/memory_tables.h"

namespace wperf::report {
namespace {

void write_table(text::JsonWriter& json, std::string_view key, const Table& table) {
  json.key(key);
  write_rows(json, table);
}

void write_number(text::JsonWriter& json, std::string_view key, u64 value) {
  json.integer(key, value);
}

void write_shared(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options) {
  json.begin_array("false_sharing");
  const std::vector<operations::SharedLine>& lines = profile.memory->shared;
  for (usize i = 0; i < std::min<usize>(lines.size(), options.memory_rows); ++i) {
    const operations::SharedLine& line = lines[i];
    json.begin_object();
    json.string("cache_line", text::hex(line.address, 1));
    write_number(json, "hits", line.hits);
    write_number(json, "refills", line.refills);
    write_number(json, "peer", line.peer);
    json.fixed("mean", line.mean_latency, 1);
    write_number(json, "threads", line.threads);
    json.boolean("same_offset", line.same_offset);
    write_number(json, "hits_without_place", line.without_place);
    write_table(json, "places", sharing_table(profile, line));
    json.end_object();
  }
  json.end_array();
}

void write_limits(text::JsonWriter& json, const operations::MemoryLimits& limits) {
  json.begin_object("limits");
  write_number(json, "saturated_latencies", limits.saturated);
  write_number(json, "loads_without_source", limits.loads_without_source);
  write_number(json, "stores_without_source", limits.stores_without_source);
  write_number(json, "unnamed_sources", limits.unnamed_sources);
  json.boolean("threads_known", limits.threads_known);
  json.boolean("latencies_rounded", limits.latencies_rounded);
  write_number(json, "cache_lines", limits.line_count);
  write_number(json, "forgotten_line_hits", limits.forgotten_lines);
  write_number(json, "pages", limits.page_count);
  write_number(json, "forgotten_page_hits", limits.forgotten_pages);
  json.end_object();
}

}  // namespace

void write_memory(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options) {
  const operations::MemoryProfile& memory = *profile.memory;
  json.begin_object();
  write_number(json, "hits", memory.all.hits);
  write_number(json, "loads", memory.all.loads);
  write_number(json, "stores", memory.all.stores);
  write_number(json, "cycles", memory.all.latency_sum);
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

}  // namespace wperf::report
