// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/profile_columns.h"

#include <algorithm>
#include <vector>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "model/stacks/call_tree.h"
#include "views/html/moment_columns.h"
#include "views/html/row_columns.h"
#include "views/html/wait_columns.h"
#include "views/report/stack_report.h"

namespace wperf::html {
namespace {

using stacks::kNothing;
using stacks::StackProfile;
using text::JsonWriter;

class ColumnWriter {
 public:
  ColumnWriter(const StackProfile& profile, const HtmlOptions& options)
      : profile_(profile),
        options_(options),
        rows_(profile, options.filter, options.all_samples),
        moments_(options.moments != nullptr ? *options.moments : none_, origin()) {}

  PageData write() {
    make_tree();
    add_tree();
    const auto number_of = [&](u32 node) { return number_of_[node_of_[node]]; };
    const std::vector<u32> row_in_slice = rows_.add(number_of);
    if (options_.all_samples && has_slices()) moments_.add_samples(profile_, row_in_slice);
    add_states();
    moments_.add_counters();
    moments_.add_marks();
    if (options_.waits != nullptr) waits_.add(options_.waits->moments, origin(), number_of);
    std::string json = document();
    std::string out;
    for (u32 shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(json.size() >> shift));
    out += json;
    for (const Column* column : columns()) out += column->bytes;
    return {std::move(out), moments_.take_samples()};
  }

 private:
  void make_tree();
  void add_tree();
  void add_states();
  std::string document() const;
  void write_events(JsonWriter& json) const;
  void write_names(JsonWriter& json) const;
  void write_losses(JsonWriter& json) const;
  void write_code(JsonWriter& json) const;
  u64 origin() const {
    return has_slices() ? profile_.slices.begin_ns : options_.moments != nullptr ? options_.moments->begin_ns : 0;
  }
  u64 length_ns() const {
    if (has_slices()) return u64{profile_.slices.count} * profile_.slices.length_ns;
    return options_.moments != nullptr ? options_.moments->end_ns - options_.moments->begin_ns : 0;
  }
  bool has_slices() const { return html::has_slices(profile_); }
  std::vector<const Column*> columns() const {
    std::vector<const Column*> all = {&up_, &functions_};
    for (const Column* one : rows_.columns()) all.push_back(one);
    for (const Column* one : {&state_tasks_, &state_gaps_, &state_lengths_, &state_kinds_, &state_wakers_})
      all.push_back(one);
    for (const Column* one : moments_.columns()) all.push_back(one);
    for (const Column* one : waits_.columns()) all.push_back(one);
    return all;
  }

  const StackProfile& profile_;
  const HtmlOptions& options_;
  const stacks::Moments none_;
  RowColumns rows_;
  MomentColumns moments_;
  WaitColumns waits_;
  stacks::CallTree tree_;
  std::vector<u32> node_of_;    // by node of the profile: the node of the tree
  std::vector<u32> number_of_;  // by node of the tree: its number in the page
  Column up_{"up"}, functions_{"function"};
  Column state_tasks_{"state task"}, state_gaps_{"state gap"}, state_lengths_{"state length"},
      state_kinds_{"state kind"}, state_wakers_{"state waker"};
};

// Makes the tree of functions, ignoring lines and addresses in the nodes of the profile.
void ColumnWriter::make_tree() {
  node_of_.resize(profile_.nodes.size());
  for (usize i = 0; i < profile_.nodes.size(); ++i) {
    const stacks::StackNode& node = profile_.nodes[i];
    if (node.place == kNothing) continue;
    const u32 parent = node.parent == kNothing ? 0 : node_of_[node.parent];
    node_of_[i] = tree_.insert(parent, profile_.places[node.place].function);
  }
  const stacks::ChosenSamples chosen(profile_, options_.filter);
  for (const stacks::StackSample& sample : profile_.samples) {
    if (chosen.has(sample)) tree_.add_self(node_of_[sample.node], sample);
  }
  tree_.sum_up();
}

// A node comes before its children, and its whole subtree before the next sibling. Its depth is written as the distance
// of its parent from the previous node.
void ColumnWriter::add_tree() {
  const std::vector<stacks::CallNode>& nodes = tree_.nodes();
  const stacks::ChildLists children = tree_.children();
  number_of_.assign(nodes.size(), 0);
  struct Open {
    u32 node;
    usize next;  // the next child
  };
  std::vector<Open> path{{0, 0}};
  u32 written = 0;
  usize depth_before = 0;
  while (!path.empty()) {
    Open& top = path.back();
    const std::span<const u32> below = children[top.node];
    while (top.next < below.size() && nodes[below[top.next]].all_samples == 0) ++top.next;
    if (top.next == below.size()) {
      path.pop_back();
      continue;
    }
    const u32 node = below[top.next++];
    number_of_[node] = ++written;
    up_.add(depth_before + 1 - path.size());
    functions_.add(nodes[node].label);
    depth_before = path.size();
    path.push_back({node, 0});
  }
}

// Times are in nanoseconds; the beginning of a state is relative to the end of the thread's previous state.
void ColumnWriter::add_states() {
  if (options_.moments == nullptr) return;
  const stacks::ThreadState* before = nullptr;
  for (const stacks::ThreadState& state : options_.moments->states) {
    const bool is_first = before == nullptr || before->task != state.task;
    const u64 from = is_first ? origin() : before->end_ns;
    state_tasks_.add(is_first && before != nullptr ? state.task - before->task : is_first ? state.task : 0);
    state_gaps_.add(state.begin_ns - std::min(state.begin_ns, from));
    state_lengths_.add(state.end_ns - state.begin_ns);
    // 0 running, 1 ready, then the classes of waits, then unknown.
    state_kinds_.add(state.doing == stacks::ThreadDoing::waiting   ? 2u + state.wait_class
                     : state.doing == stacks::ThreadDoing::unknown ? 2u + options_.moments->wait_classes.size()
                                                                   : static_cast<usize>(state.doing));
    state_wakers_.add(state.waker == kNothing ? 0 : u64{state.waker} + 1);
    before = &state;
  }
}

void write_numbers(JsonWriter& json, std::string_view name, usize count, auto value_of) {
  json.begin_array(name);
  for (usize i = 0; i < count; ++i) json.integer(value_of(i));
  json.end_array();
}

void write_strings(JsonWriter& json, std::string_view name, usize count, auto value_of) {
  json.begin_array(name);
  for (usize i = 0; i < count; ++i) json.string(value_of(i));
  json.end_array();
}

void ColumnWriter::write_events(JsonWriter& json) const {
  json.begin_array("events");
  for (const stacks::StackEvent& event : profile_.events) {
    json.begin_object();
    json.string("name", event.name);
    json.integer("samples", event.samples);
    json.integer("period", event.period);
    json.integer("interval", event.interval);
    json.end_object();
  }
  json.end_array();
}

enum class Kind : u8 { user, kernel, inlined, unknown, made };

Kind kind_of(const StackProfile& profile, const stacks::StackFunction& function) {
  if (function.is_kernel) return Kind::kernel;
  if (function.is_inlined) return Kind::inlined;
  if (profile.modules[function.module].name.starts_with("[JIT]")) return Kind::made;
  return function.is_known ? Kind::user : Kind::unknown;
}

void ColumnWriter::write_names(JsonWriter& json) const {
  const StackProfile& profile = profile_;
  json.begin_object("tasks");
  write_numbers(json, "pid", profile.tasks.size(), [&](usize i) { return profile.tasks[i].pid; });
  write_numbers(json, "tid", profile.tasks.size(), [&](usize i) { return profile.tasks[i].tid; });
  write_strings(json, "name", profile.tasks.size(),
                [&](usize i) -> std::string_view { return profile.names[profile.tasks[i].name]; });
  json.end_object();
  json.begin_object("modules");
  write_strings(json, "name", profile.modules.size(),
                [&](usize i) -> std::string_view { return profile.modules[i].name; });
  write_strings(json, "path", profile.modules.size(),
                [&](usize i) -> std::string_view { return profile.modules[i].path; });
  write_strings(json, "reason", profile.modules.size(),
                [&](usize i) -> std::string_view { return profile.modules[i].reason; });
  json.end_object();
  json.begin_object("functions");
  write_strings(json, "name", profile.functions.size(),
                [&](usize i) -> std::string_view { return profile.functions[i].name; });
  write_numbers(json, "module", profile.functions.size(), [&](usize i) { return profile.functions[i].module; });
  write_numbers(json, "kind", profile.functions.size(),
                [&](usize i) { return static_cast<u32>(kind_of(profile, profile.functions[i])); });
  json.end_object();
}

// Each loss is [begin, end, count, what, core], in nanoseconds from the beginning of the slices.
void ColumnWriter::write_losses(JsonWriter& json) const {
  json.begin_array("lost");
  const auto since = [&](u64 time) { return time - std::min(time, origin()); };
  for (const stacks::TimedLoss& loss :
       options_.moments != nullptr ? options_.moments->losses : std::vector<stacks::TimedLoss>{}) {
    json.begin_array();
    for (const u64 value : {since(loss.begin_ns), since(loss.end_ns), loss.count}) json.integer(value);
    json.string(loss.what);
    json.integer(loss.core == kNothing ? 0 : u64{loss.core} + 1);
    json.end_array();
  }
  json.end_array();
}

void ColumnWriter::write_code(JsonWriter& json) const {
  json.begin_array("code");
  const auto write_hits = [&json](const stacks::CodeHits& hits, const stacks::CodeHits& all) {
    json.integer("samples", hits.samples);
    json.integer("period", hits.period);
    json.integer("all", all.period);
  };
  for (const stacks::FunctionCode& code : profile_.code) {
    json.begin_object();
    json.integer("event", code.event);
    json.integer("function", code.function);
    write_hits(code.hits, code.all);
    json.string("reason", code.reason);
    json.begin_array("lines");
    for (const stacks::CodeLine& line : code.lines) {
      json.begin_object();
      json.string("file", line.file);
      json.integer("line", line.line);
      json.string("source", line.source);
      write_hits(line.hits, line.all);
      json.end_object();
    }
    json.end_array();
    json.begin_array("instructions");
    for (const stacks::CodeInstruction& one : code.instructions) {
      json.begin_object();
      json.string("address", text::hex(one.address, 1));
      json.string("text", one.text);
      json.string("line", one.line);
      json.boolean("gap", one.follows_gap);
      write_hits(one.hits, one.all);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

std::string ColumnWriter::document() const {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.string("version", options_.version);
  json.string("file", profile_.file);
  json.string("note", profile_.note);
  const std::vector<report::StackLoss> losses = report::all_losses(profile_);
  json.string("missing", report::losses_brief(losses));
  json.boolean("minor", std::all_of(losses.begin(), losses.end(), [](const auto& loss) { return loss.is_minor; }));
  json.fixed("seconds", profile_.elapsed_seconds, 9);
  json.boolean("callers", profile_.has_callers);
  json.integer("slices", has_slices() ? profile_.slices.count : 1);
  json.integer("length_ns", length_ns());
  write_strings(json, "wait_classes", options_.moments != nullptr ? options_.moments->wait_classes.size() : 0,
                [&](usize i) -> std::string_view { return options_.moments->wait_classes[i]; });
  write_events(json);
  write_names(json);
  write_losses(json);
  moments_.write(json);
  if (options_.waits != nullptr) WaitColumns::write(options_.waits->moments, json);
  write_code(json);
  if (!options_.difference_json.empty()) {
    json.digits("difference", options_.difference_json);
  }
  json.begin_array("columns");
  for (const Column* column : columns()) {
    json.begin_array();
    json.string(column->name);
    json.integer(column->count);
    json.integer(column->bytes.size());
    json.end_array();
  }
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace

PageData profile_columns(const StackProfile& profile, const HtmlOptions& options) {
  return ColumnWriter(profile, options).write();
}

}  // namespace wperf::html
