// SPDX-License-Identifier: BSD-3-Clause
// The rows of a table: samples that agree in the chosen keys, with what happened in them themselves and in what they
// called. Pure. Called by report.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/stacks/stack_profile.h"

namespace wperf::stacks {

enum class SortKey : u8 { comm, pid, tid, core, core_kind, module, symbol, line };

// Which samples count. Each list: any of these; empty: all.
struct StackFilter {
  std::vector<std::string> comms = {}, modules = {};
  std::vector<u32> pids = {}, tids = {};
  std::function<bool(std::string_view name)> symbol = {};  // empty: every name
  std::string symbol_text = {};                            // as it was asked for

  bool is_empty() const { return comms.empty() && modules.empty() && pids.empty() && tids.empty() && !symbol; }
};

// The filter, asked once per task and function.
class ChosenSamples {
 public:
  ChosenSamples(const StackProfile& profile, const StackFilter& filter);
  bool has(const StackSample& sample) const {
    return tasks_[sample.task] && functions_[profile_.places[profile_.nodes[sample.node].place].function];
  }

 private:
  const StackProfile& profile_;
  std::vector<bool> tasks_, functions_;
};

struct StackRow {
  // What the keys say; those that were not asked for are kNothing.
  u32 comm = kNothing, pid = kNothing, tid = kNothing, core = kNothing;
  u32 core_kind = kNothing;  // index into the profile's; of unknown ones, too, kNothing
  u32 module = kNothing, function = kNothing, line = kNothing;
  u64 self_samples = 0, self_period = 0;
  u64 all_samples = 0, all_period = 0;  // with what was called; as self where children were not asked for
};

struct StackRows {
  std::vector<StackRow> rows;   // the greatest first
  u64 samples = 0, period = 0;  // that passed the filter
};

StackRows make_rows(const StackProfile& profile, u32 event, const std::vector<SortKey>& keys, const StackFilter& filter,
                    bool with_children);

}  // namespace wperf::stacks
