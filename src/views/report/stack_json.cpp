// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <span>

#include "ground/text/json_writer.h"
#include "views/report/document_version.h"
#include "views/report/headline.h"
#include "views/report/stack_report.h"
#include "views/report/trace_facts_text.h"

namespace wperf::report {
namespace {

using stacks::SortKey;
using stacks::StackProfile;

void write_function(text::JsonWriter& json, const StackProfile& profile, u32 number) {
  const stacks::StackFunction& function = profile.functions[number];
  json.string("symbol", function.name);
  json.string("module", profile.modules[function.module].name);
  json.boolean("kernel", function.is_kernel);
}

// Writes the rows; returns the number of all rows.
usize write_stack_rows(text::JsonWriter& json, const StackProfile& profile, u32 event, const std::vector<SortKey>& keys,
                       const StackOptions& options) {
  const std::vector<stacks::StackRow> rows = make_rows(profile, event, keys, options.filter, options.children).rows;
  write_rows(json, {}, std::span(rows).first(std::min<usize>(rows.size(), options.rows)),
             StackColumns{profile, profile.events[event], keys, options,
                          whole_period(profile, event, options.filter, options.relative)});
  return rows.size();
}

// --by
void write_tables(text::JsonWriter& json, const StackProfile& profile, u32 event, const StackOptions& options) {
  std::vector<usize> in_all;
  json.begin_array("tables");
  for (const std::vector<SortKey>& keys : options.tables)
    in_all.push_back(write_stack_rows(json, profile, event, keys, options));
  json.end_array();
  json.begin_array("table_rows_in_all");
  for (const usize rows : in_all) json.integer(rows);
  json.end_array();
}

// Each node has the index of its parent, so that readers need no recursion, however deep the stacks are.
void write_tree(text::JsonWriter& json, const StackProfile& profile, const stacks::CallTree& tree) {
  json.begin_array();
  for (usize i = 1; i < tree.nodes().size(); ++i) {
    const stacks::CallNode& node = tree.nodes()[i];
    json.begin_object();
    if (node.parent != 0) {
      json.integer("parent", node.parent - 1);
    }
    write_function(json, profile, node.label);
    json.integer("samples", node.self_samples);
    json.integer("period", node.self_period);
    json.integer("all_samples", node.all_samples);
    json.integer("all_period", node.all_period);
    json.end_object();
  }
  json.end_array();
}

void write_event(text::JsonWriter& json, const StackProfile& profile, u32 event, const StackOptions& options) {
  const stacks::StackEvent& one = profile.events[event];
  json.begin_object();
  json.string("event", one.name);
  json.integer("samples", one.samples);
  json.integer("period", one.period);
  if (!one.whole.empty()) json.string("whole", one.whole);
  if (!one.parallel_ns.empty()) {
    json.begin_array("parallel_ns");
    for (const u64 time : one.parallel_ns) json.integer(time);
    json.end_array();
  }
  json.key("rows");
  json.integer("rows_in_all", write_stack_rows(json, profile, event, sort_keys(options), options));
  if (!options.tables.empty()) write_tables(json, profile, event, options);
  write_code(json, profile, event);
  if (options.tree) {
    json.key("tree");
    write_tree(json, profile, make_call_tree(profile, event, options.filter));
  }
  if (options.callers || options.callees) {
    const std::vector<u32> functions = hot_functions(profile, event, options);
    if (options.callers) {
      const stacks::CallTree tree = make_caller_tree(profile, event, functions, filter_of_callers(options));
      if (tree.cut_samples != 0) json.integer("samples_with_more_callers", tree.cut_samples);
      json.key("callers");
      write_tree(json, profile, tree);
    }
    if (options.callees) {
      json.key("callees");
      write_tree(json, profile, make_callee_tree(profile, event, functions, filter_of_callees(options)));
    }
  }
  json.end_object();
}

// Writes the samples in the hot functions themselves, for equal parts of the recording.
void write_over_time(text::JsonWriter& json, const StackProfile& profile, const StackOptions& options) {
  if (profile.slices.count == 0) return;
  json.begin_object("over_time");
  json.real("slice_ms", static_cast<double>(profile.slices.length_ns) / 1e6);
  json.integer("slices", profile.slices.count);
  json.begin_array("events");
  const stacks::ChosenSamples chosen(profile, options.filter);
  for (u32 event = 0; event < profile.events.size(); ++event) {
    std::map<u32, std::vector<u64>> counts;  // by function
    const std::vector<u32> functions = hot_functions(profile, event, options);
    for (const u32 function : functions) counts[function].resize(profile.slices.count);
    for (const stacks::SliceCount& one : profile.slice_counts) {
      const stacks::StackSample& sample = profile.samples[one.row];
      if (sample.event != event || !chosen.has(sample)) continue;
      const auto found = counts.find(profile.function_of(sample.node));
      if (found != counts.end()) found->second[one.slice] += one.count;
    }
    json.begin_object();
    json.string("event", profile.events[event].name);
    json.begin_array("functions");
    for (const u32 function : functions) {
      json.begin_object();
      write_function(json, profile, function);
      json.begin_array("counts");
      for (const u64 count : counts[function]) json.integer(count);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_losses(text::JsonWriter& json, const stacks::StackLosses& losses) {
  const auto count = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object("losses");
  count("damaged_places", losses.damaged_places);
  count("damaged_bytes", losses.damaged_bytes);
  count("damaged_records_about", losses.damaged_records_about);
  count("lost_records", losses.lost_records);
  count("lost_samples", losses.lost_samples);
  count("held_back", losses.held_back);
  count("throttled", losses.throttled);
  count("of_unknown_event", losses.of_unknown_event);
  count("damaged_records", losses.damaged_records);
  count("merged_changes", losses.merged_changes);
  count("stacks_cut", losses.stacks_cut);
  count("stacks_continued", losses.stacks_continued);
  count("stacks_undelivered", losses.stacks_undelivered);
  count("stacks_without_table", losses.stacks_without_table);
  count("stacks_damaged", losses.stacks_damaged);
  count("stacks_of_32_bits", losses.stacks_of_32_bits);
  count("stacks_by_pointers", losses.stacks_by_pointers);
  count("unknown_records", losses.unknown_records);
  json.begin_array("unknown_types");
  for (const auto& [type, records] : losses.unknown_types) {
    json.begin_object();
    count("type", type);
    count("records", records);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void write_stack(text::JsonWriter& json, const StackProfile& profile, const StackOptions& options) {
  json.begin_object("recording");
  json.string("file", profile.file);
  json.fixed("seconds", profile.elapsed_seconds, 9);
  write_headline(json, profile, options.about, options.filter, options.relative);
  write_losses(json, profile.losses);
  if (profile.trace.has_value()) write_trace_facts(json, *profile.trace);
  json.begin_array("events");
  for (u32 event = 0; event < profile.events.size(); ++event) write_event(json, profile, event, options);
  json.end_array();
  write_over_time(json, profile, options);
  json.begin_array("modules");
  for (const stacks::StackModule& module : profile.modules) {
    json.begin_object();
    json.string("module", module.name);
    json.string("path", module.path);
    if (!module.reason.empty()) {
      json.string("reason", module.reason);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::string stack_json(const StackProfile& profile, const StackOptions& options, const WriteMembers& first) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  if (first) first(json);
  write_stack(json, profile, options);
  json.end_object();
  return out;
}

}  // namespace wperf::report
