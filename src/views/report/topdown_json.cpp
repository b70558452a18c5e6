// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/json_writer.h"
#include "views/report/document_version.h"
#include "views/report/spe_report.h"
#include "views/report/topdown_report.h"

namespace wperf::report {
namespace {

using topdown::Drill;
using topdown::kNone;

void write_groups(text::JsonWriter& json, const Drill& drill) {
  json.begin_array("groups");
  for (const topdown::GroupShares& group : drill.groups()) {
    json.begin_object();
    json.string("name", group.group);
    write_rows(json, "metrics", group.metrics, topdown_metric_columns);
    json.end_object();
  }
  json.end_array();
  json.string("likely_group", drill.likely_group());
}

// Writes the inputs of the formulas, for each run.
void write_counts(text::JsonWriter& json, const Drill& drill) {
  json.begin_array("counts");
  for (const std::vector<topdown::EventCount>& run : drill.counts()) {
    json.begin_array();
    for (const topdown::EventCount& count : run) {
      if (!count.counted) continue;
      json.begin_object();
      json.string("event", count.name);
      json.integer("value", count.value);
      json.end_object();
    }
    json.end_array();
  }
  json.end_array();
}

void write_functions(text::JsonWriter& json, const TopdownSamples& where) {
  json.begin_object("sampled");
  json.string("event", where.event);
  json.integer("interval", where.interval);
  json.integer("samples", where.samples);
  json.integer("missing", where.missing);
  write_rows(json, "functions", where.functions, TopdownFunctionColumns{where});
  json.end_object();
}

void write_kind(text::JsonWriter& json, const Topdown& kind) {
  const auto& [drill, answer] = kind;
  json.begin_object();
  json.string("core", answer.core);
  json.string("cores", answer.cores);
  json.string("program", answer.program);
  json.integer("runs", drill.runs());
  json.boolean("took_turns", answer.took_turns);
  std::vector<u32> nodes;
  for (u32 i = 0; i < drill.method().nodes.size(); ++i) {
    if (drill.shares()[i].run != 0) nodes.push_back(i);
  }
  write_rows(json, "nodes", nodes, NodeColumns{drill});
  const u32 worst = drill.worst();
  json.string("worst", worst == kNone ? std::string_view{} : drill.method().nodes[worst].metric.name);
  json.string("meaning",
              worst == kNone ? std::string_view{} : topdown::meaning_of(drill.method().nodes[worst].metric.name));
  write_groups(json, drill);
  write_counts(json, drill);
  if (!answer.where.event.empty()) write_functions(json, answer.where);
  if (answer.memory.has_value() && answer.memory->memory.has_value()) {
    json.key("memory");
    write_memory(json, *answer.memory, {.samples = {}, .memory = true});
  }
  json.begin_array("notes");
  for (const std::string& note : answer.notes) json.string(note);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string topdown_json(std::span<const Topdown> kinds) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_array("topdown");
  for (const Topdown& kind : kinds) write_kind(json, kind);
  json.end_array();
  json.end_object();
  return out + '\n';
}

}  // namespace wperf::report
