// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/stack_rows.h"

#include <algorithm>
#include <unordered_map>

#include "model/stacks/id_table.h"
#include "model/stacks/shared_paths.h"

namespace wperf::stacks {
namespace {

template <class T>
bool is_in(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

constexpr u32 bit_of(SortKey key) {
  return 1u << static_cast<u32>(key);
}
constexpr u32 kOfTasks = bit_of(SortKey::comm) | bit_of(SortKey::process) | bit_of(SortKey::pid) |
                         bit_of(SortKey::tid) | bit_of(SortKey::core) | bit_of(SortKey::core_kind);

// Gives each different set of values a number and an empty row. A row is looked up by task and place.
class RowKeys {
 public:
  RowKeys(const StackProfile& profile, const std::vector<SortKey>& keys) : profile_(profile) {
    for (const SortKey key : keys) wanted_ |= bit_of(key);
    if (wants(SortKey::process)) processes_ = process_names(profile);
    places_.reserve(profile.places.size());
    for (const StackPlace& place : profile.places) {
      const u64 module = wants(SortKey::module) ? profile.functions[place.function].module : kNothing;
      const u64 function = wants(SortKey::symbol) ? place.function : kNothing;
      const u64 line = wants(SortKey::line) ? place.line : kNothing;
      // A function belongs to one module, so one number can represent either.
      const u64 which = function != kNothing ? function : module | (u64{1} << 32);
      places_.push_back(place_keys_.insert(which, line).id);
    }
  }

  u32 place_key(u32 place) const { return places_[place]; }
  u32 place_keys() const { return place_keys_.size(); }
  u32 task_key(const StackSample& sample) {
    if ((wanted_ & kOfTasks) == 0) return 0;
    const StackTask& one = profile_.tasks[sample.task];
    const u64 comm = name_of(sample.task), pid = wants(SortKey::pid) ? one.pid : kNothing;
    const u64 tid = wants(SortKey::tid) ? one.tid : kNothing;
    // The core implies the kind, so the key needs only one of them.
    const u64 at = wants(SortKey::core) ? sample.core : wants(SortKey::core_kind) ? kind_of(sample) : kNothing;
    return task_keys_.insert((comm << 32) | pid, (tid << 32) | at).id;
  }
  StackRow row_of(u32 place, const StackSample& sample) const {
    StackRow row;
    const StackPlace& at = profile_.places[place];
    const StackTask& who = profile_.tasks[sample.task];
    row.comm = name_of(sample.task);
    if (wants(SortKey::pid)) row.pid = who.pid;
    if (wants(SortKey::tid)) row.tid = who.tid;
    if (wants(SortKey::core)) row.core = sample.core;
    if (wants(SortKey::core_kind)) row.core_kind = kind_of(sample);
    if (wants(SortKey::module)) row.module = profile_.functions[at.function].module;
    if (wants(SortKey::symbol)) row.function = at.function;
    if (wants(SortKey::line)) row.line = at.line;
    return row;
  }

 private:
  bool wants(SortKey key) const { return (wanted_ & bit_of(key)) != 0; }
  u32 name_of(u32 task) const {
    if (wants(SortKey::process)) return processes_[task];
    return wants(SortKey::comm) ? profile_.tasks[task].name : kNothing;
  }
  u32 kind_of(const StackSample& sample) const { return profile_.core_kinds.of(sample.event, sample.core); }

  const StackProfile& profile_;
  u32 wanted_ = 0;
  IdTable place_keys_, task_keys_;
  std::vector<u32> places_;
  std::vector<u32> processes_;  // names by task
};

// Builds the rows from the places of the samples and their callers.
class RowTable {
 public:
  RowTable(const StackProfile& profile, const RowKeys& keys) : profile_(profile), keys_(keys) {}

  StackRow& at(u32 node, u32 task_key, const StackSample& sample) { return rows_[number_of(node, task_key, sample)]; }
  u32 number_of(u32 node, u32 task_key, const StackSample& sample) {
    const u32 place = profile_.nodes[node].place;
    const auto [number, is_new] = numbers_.insert(keys_.place_key(place), task_key);
    if (is_new) rows_.push_back(keys_.row_of(place, sample));
    return number;
  }
  std::vector<StackRow>& rows() { return rows_; }

 private:
  const StackProfile& profile_;
  const RowKeys& keys_;
  SmallIdTable numbers_;
  std::vector<StackRow> rows_;
};

// The sums of rows including callees: each node has the sum of its subtree; in a recursion only the outermost node is
// counted.
class CalleeSums {
 public:
  CalleeSums(const StackProfile& profile, const RowKeys& keys)
      : profile_(profile), keys_(keys), paths_(profile.nodes) {}

  void add(const StackSample& sample, u32 task_key, RowTable& table) {
    const SharedPaths::Path path = paths_.walk(sample.node, task_key);
    for (usize i = 0; i < path.added.size(); ++i) sums_.push_back({});
    // Rows are ordered as samples reach them, from the innermost frame outwards.
    for (usize i = path.added.size(); i-- > 0;)
      sums_[path.first + i].row = table.number_of(path.added[i], task_key, sample);
    sums_[path.last].samples += sample.count;
    sums_[path.last].period += sample.period;
  }
  void finish(std::vector<StackRow>& rows) {
    const std::vector<bool> outermost = outermost_of_keys(
        profile_.nodes, keys_.place_keys(), [&](u32 node) { return keys_.place_key(profile_.nodes[node].place); });
    for (u32 i = paths_.size(); i-- > 0;) {
      const Sum& sum = sums_[i];
      if (outermost[paths_.node(i)]) {
        rows[sum.row].all_samples += sum.samples;
        rows[sum.row].all_period += sum.period;
      }
      if (paths_.caller(i) == kNothing) continue;
      sums_[paths_.caller(i)].samples += sum.samples;
      sums_[paths_.caller(i)].period += sum.period;
    }
  }

 private:
  struct Sum {
    u64 samples = 0, period = 0;
    u32 row = 0;
  };
  const StackProfile& profile_;
  const RowKeys& keys_;
  SharedPaths paths_;
  GrowingArray<Sum> sums_;
};

}  // namespace

std::vector<std::string> names_in(const std::vector<std::string>& texts,
                                  const std::function<bool(const std::string&)>& is_name) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    if (is_name(text)) {
      names.push_back(text);
      continue;
    }
    for (usize begin = 0; begin <= text.size();) {
      const usize end = std::min(text.find(',', begin), text.size());
      if (end != begin) names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

std::vector<std::string> thread_names(const StackProfile& profile, const StackFilter& filter) {
  return names_in(filter.comms, [&](const std::string& name) {
    return std::ranges::find(profile.names, name) != profile.names.end();
  });
}

ChosenSamples::ChosenSamples(const StackProfile& profile, const StackFilter& filter) : profile_(profile) {
  const std::vector<std::string> comms = thread_names(profile, filter);
  tasks_.reserve(profile.tasks.size());
  for (const StackTask& task : profile.tasks) {
    tasks_.push_back(is_in(comms, profile.names[task.name]) && is_in(filter.pids, task.pid) &&
                     is_in(filter.tids, task.tid));
  }
  functions_.reserve(profile.functions.size());
  for (const StackFunction& function : profile.functions) {
    const StackModule& module = profile.modules[function.module];
    functions_.push_back((is_in(filter.modules, module.name) || is_in(filter.modules, module.path)) &&
                         (!filter.symbol || filter.symbol(function.name)));
  }
  nodes_.reserve(profile.nodes.size());
  for (const StackNode& node : profile.nodes) {
    const bool is_callee = filter.in_callers && node.parent != kNothing && nodes_[node.parent];
    nodes_.push_back(is_callee || (node.place != kNothing && has_place(node.place)));
  }
}

std::vector<u32> process_names(const StackProfile& profile) {
  std::unordered_map<u32, u32> first_threads;  // by process
  for (const StackTask& task : profile.tasks) {
    if (task.pid == task.tid && task.pid != kNothing)
      first_threads.try_emplace(task.pid, task.process_name != kNothing ? task.process_name : task.name);
  }
  std::vector<u32> names;
  names.reserve(profile.tasks.size());
  for (const StackTask& task : profile.tasks) {
    const auto first = first_threads.find(task.pid);
    names.push_back(task.process_name != kNothing  ? task.process_name
                    : first != first_threads.end() ? first->second
                                                   : task.name);
  }
  return names;
}

StackRows make_rows(const StackProfile& profile, u32 event, const std::vector<SortKey>& keys, const StackFilter& filter,
                    bool with_children) {
  StackRows out;
  const ChosenSamples chosen(profile, filter);
  RowKeys row_keys(profile, keys);
  // Samples with the same stack and the same keys become one. If callers are not needed, a stack is just its innermost
  // frame.
  GrowingArray<StackSample> alike;
  std::vector<u32> task_key_of;
  SmallIdTable known;
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample)) continue;
    out.samples += sample.count;
    out.period += sample.period;
    const u32 task_key = row_keys.task_key(sample);
    const u32 stack = with_children ? sample.node : profile.nodes[sample.node].place;
    const auto [number, is_new] = known.insert(stack, task_key);
    if (is_new) {
      alike.push_back(sample);
      task_key_of.push_back(task_key);
      continue;
    }
    alike[number].count += sample.count;
    alike[number].period += sample.period;
  }
  RowTable table(profile, row_keys);
  CalleeSums sums(profile, row_keys);
  for (usize i = 0; i < alike.size(); ++i) {
    const StackSample& sample = alike[i];
    if (with_children) sums.add(sample, task_key_of[i], table);
    StackRow& row = table.at(sample.node, task_key_of[i], sample);
    row.self_samples += sample.count;
    row.self_period += sample.period;
    if (with_children) continue;
    row.all_samples += sample.count;
    row.all_period += sample.period;
  }
  out.rows = std::move(table.rows());
  if (with_children) sums.finish(out.rows);
  if (filter.in_callers) {
    std::erase_if(out.rows,
                  [&](const StackRow& row) { return row.function != kNothing && !chosen.has_function(row.function); });
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const StackRow& a, const StackRow& b) {
    if (a.all_period != b.all_period) return a.all_period > b.all_period;
    if (a.self_period != b.self_period) return a.self_period > b.self_period;
    return a.all_samples > b.all_samples;
  });
  return out;
}

void keep_rows(const std::function<bool(const StackSample&)>& keep, StackProfile& profile, Moments& moments) {
  std::vector<u32> new_row(profile.samples.size(), kNothing);
  GrowingArray<StackSample> kept;
  for (StackEvent& event : profile.events) event.samples = event.period = 0;
  for (u32 row = 0; row < profile.samples.size(); ++row) {
    const StackSample& sample = profile.samples[row];
    if (!keep(sample)) continue;
    new_row[row] = static_cast<u32>(kept.size());
    kept.push_back(sample);
    profile.events[sample.event].samples += sample.count;
    profile.events[sample.event].period += sample.period;
  }
  profile.samples = std::move(kept);
  GrowingArray<SliceCount> counts;
  for (const SliceCount& one : profile.slice_counts) {
    if (new_row[one.row] != kNothing) counts.push_back({new_row[one.row], one.slice, one.count, one.period});
  }
  profile.slice_counts = std::move(counts);
  SampleMoments left;
  for (usize i = 0; i < moments.samples.size(); ++i) {
    const u32 row = moments.samples.rows[i];
    if (row >= new_row.size() || new_row[row] == kNothing) continue;
    left.times_ns.push_back(moments.samples.times_ns[i]);
    left.rows.push_back(new_row[row]);
  }
  moments.samples = std::move(left);
}

void keep_chosen(const StackFilter& filter, StackProfile& profile, Moments& moments) {
  if (filter.is_empty()) return;
  const ChosenSamples chosen(profile, filter);
  keep_rows([&](const StackSample& sample) { return chosen.has(sample); }, profile, moments);
  const auto allows = [](const auto& wanted, const auto& one) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), one) != wanted.end();
  };
  const std::vector<std::string> comms = thread_names(profile, filter);
  std::erase_if(moments.states, [&](const ThreadState& state) {
    const StackTask& task = profile.tasks[state.task];
    return !allows(filter.pids, task.pid) || !allows(filter.tids, task.tid) || !allows(comms, profile.names[task.name]);
  });
}

}  // namespace wperf::stacks
