// SPDX-License-Identifier: BSD-3-Clause
// The rows of a table. A row contains the samples that agree in the chosen keys. It counts samples in the function
// itself, and samples in its callees. Pure.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::stacks {

// comm is the name of the thread, process the name of its program.
enum class SortKey : u8 { comm, process, pid, tid, core, core_kind, module, symbol, line };

// Which samples count. An empty list allows all values, any other list only its own values.
struct StackFilter {
  std::vector<std::string> comms = {};  // texts for names_in()
  std::vector<std::string> modules = {};
  std::vector<u32> pids = {}, tids = {};
  std::function<bool(std::string_view name)> symbol = {};  // empty: every name passes
  std::string symbol_text = {};                            // as the user typed it
  // Modules and functions may be anywhere in the stack. Otherwise they must belong to the innermost frame.
  bool in_callers = false;

  bool is_empty() const { return comms.empty() && modules.empty() && pids.empty() && tids.empty() && !symbol; }
};

// The names that texts like "a,b" mean: the whole text if there is such a name, otherwise the words between its commas.
std::vector<std::string> names_in(const std::vector<std::string>& texts,
                                  const std::function<bool(const std::string&)>& is_name);
// The names of threads that a filter allows; empty: all.
std::vector<std::string> thread_names(const StackProfile& profile, const StackFilter& filter);

// A filter that is evaluated only once for each task and function.
class ChosenSamples {
 public:
  ChosenSamples(const StackProfile& profile, const StackFilter& filter);
  bool has(const StackSample& sample) const { return has_task(sample) && nodes_[sample.node]; }
  bool has_task(const StackSample& sample) const { return tasks_[sample.task]; }
  bool has_place(u32 place) const { return has_function(profile_.places[place].function); }
  bool has_function(u32 function) const { return functions_[function]; }

 private:
  const StackProfile& profile_;
  std::vector<bool> tasks_, functions_, nodes_;
};

struct StackRow {
  // The values of the keys; keys that were not requested are kNothing.
  u32 comm = kNothing;  // also for the key `process`
  u32 pid = kNothing, tid = kNothing, core = kNothing;
  u32 core_kind = kNothing;  // index into the profile's kinds; kNothing also for unknown kinds
  u32 module = kNothing, function = kNothing, line = kNothing;
  u64 self_samples = 0, self_period = 0;
  u64 all_samples = 0, all_period = 0;  // including callees; equal to self if callees were not requested
};

struct StackRows {
  std::vector<StackRow> rows;   // ordered by size, the largest first
  u64 samples = 0, period = 0;  // of the samples that passed the filter
};

// For each task the name of its process: the name with which the process's program began. If that is unknown: a name of
// the process's first thread, or the task's own name.
std::vector<u32> process_names(const StackProfile& profile);

StackRows make_rows(const StackProfile& profile, u32 event, const std::vector<SortKey>& keys, const StackFilter& filter,
                    bool with_children);

// These two reduce a profile and its moments to a part of the samples. For views that show all rows.

// Removes the samples for which `keep` is false. The sums of the events become those of the remaining samples.
void keep_rows(const std::function<bool(const StackSample&)>& keep, StackProfile& profile, Moments& moments);
// Keeps the samples that pass a filter, and the states of the threads that the filter names.
void keep_chosen(const StackFilter& filter, StackProfile& profile, Moments& moments);

}  // namespace wperf::stacks
