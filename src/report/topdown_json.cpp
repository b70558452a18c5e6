// SPDX-License-Identifier: BSD-3-Clause
#include "report/json_writer.h"
#include "report/memory_json.h"
#include "report/topdown_report.h"

namespace wperf::report {
namespace {

using topdown::Drill;
using topdown::kNone;

void text(JsonWriter& json, std::string_view key, std::string_view value) {
  json.key(key);
  json.string(value);
}
void count(JsonWriter& json, std::string_view key, u64 value) {
  json.key(key);
  json.integer(value);
}

// What is not known is not there.
void write_share(JsonWriter& json, const topdown::Share& share) {
  if (share.known) {
    json.key("value");
    json.fixed(share.value, 9);
    json.key("low");
    json.fixed(share.low, 9);
    json.key("high");
    json.fixed(share.high, 9);
  }
  count(json, "run", share.run);
}

void write_node(JsonWriter& json, const Drill& drill, u32 index) {
  const topdown::Node& node = drill.method().nodes[index];
  json.begin_object();
  text(json, "name", node.metric.name);
  text(json, "title", node.metric.title);
  text(json, "unit", node.metric.unit);
  text(json, "of", node.of);
  count(json, "level", node.level);
  text(json, "parent", node.parent == kNone ? std::string_view{} : drill.method().nodes[node.parent].metric.name);
  write_share(json, drill.shares()[index]);
  json.end_object();
}

void write_groups(JsonWriter& json, const Drill& drill) {
  json.key("groups");
  json.begin_array();
  for (const topdown::GroupShares& group : drill.groups()) {
    json.begin_object();
    text(json, "name", group.group);
    json.key("metrics");
    json.begin_array();
    for (const topdown::MetricShare& metric : group.metrics) {
      json.begin_object();
      text(json, "name", metric.metric.name);
      text(json, "unit", metric.metric.unit);
      write_share(json, metric.share);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  text(json, "likely_group", drill.likely_group());
}

void write_functions(JsonWriter& json, const TopdownSamples& where) {
  json.key("sampled");
  json.begin_object();
  text(json, "event", where.event);
  count(json, "interval", where.interval);
  count(json, "samples", where.samples);
  json.key("functions");
  json.begin_array();
  for (const TopdownFunction& row : where.functions) {
    json.begin_object();
    text(json, "function", row.function);
    text(json, "module", row.module);
    count(json, "samples", row.samples);
    const Interval share = share_interval(row.samples, where.samples);
    json.key("low");
    json.fixed(share.low, 6);
    json.key("high");
    json.fixed(share.high, 6);
    text(json, "line", row.line);
    count(json, "line_samples", row.line_samples);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_kind(JsonWriter& json, const Topdown& kind) {
  const auto& [drill, answer] = kind;
  json.begin_object();
  text(json, "core", answer.core);
  text(json, "cores", answer.cores);
  text(json, "program", answer.program);
  count(json, "runs", drill.runs());
  json.key("took_turns");
  json.boolean(answer.took_turns);
  json.key("nodes");
  json.begin_array();
  for (u32 i = 0; i < drill.method().nodes.size(); ++i) {
    if (drill.shares()[i].run != 0) write_node(json, drill, i);
  }
  json.end_array();
  const u32 worst = drill.worst();
  text(json, "worst", worst == kNone ? std::string_view{} : drill.method().nodes[worst].metric.name);
  text(json, "meaning",
       worst == kNone ? std::string_view{} : topdown::meaning_of(drill.method().nodes[worst].metric.name));
  write_groups(json, drill);
  if (!answer.where.event.empty()) write_functions(json, answer.where);
  if (answer.memory.has_value() && answer.memory->memory.has_value()) {
    json.key("memory");
    write_memory(json, *answer.memory, {.samples = {}, .memory = true});
  }
  json.key("notes");
  json.begin_array();
  for (const std::string& note : answer.notes) json.string(note);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string topdown_json(std::span<const Topdown> kinds) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("topdown");
  json.begin_array();
  for (const Topdown& kind : kinds) write_kind(json, kind);
  json.end_array();
  json.end_object();
  return out + '\n';
}

}  // namespace wperf::report
