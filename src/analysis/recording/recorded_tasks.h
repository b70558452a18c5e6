// SPDX-License-Identifier: BSD-3-Clause
// The threads of a recording while its samples are read: their profile numbers, names and address spaces.
#pragma once
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/perf_data/process_history.h"
#include "model/stacks/id_table.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

class RecordedTasks {
 public:
  using FindTask = std::function<perf_data::ProcessHistory::Task(u32 pid, u32 tid, u64 when)>;
  // Must be called before at().
  void look_up_with(FindTask find) { find_ = std::move(find); }

  struct Task {
    u32 pid = ~u32{0}, tid = ~u32{0};
    u32 number = 0, space = 0;
    u64 begin = 1, end = 0;  // the period in which it has this name and space
  };
  // The reference is valid until the next call.
  const Task& at(u32 pid, u32 tid, u64 when) {
    Task& known = known_[tid % kKnown];
    const bool is_it = known.pid == pid && known.tid == tid && when >= known.begin && when < known.end;
    if (!is_it) known = find(pid, tid, when);
    return known;
  }

  // Stores tasks and names in the profile. `history`: complete, so it has all names.
  void finish(const perf_data::ProcessHistory& history, stacks::StackProfile& profile);

 private:
  Task find(u32 pid, u32 tid, u64 when);
  u32 name_of(u32 tid, u32 name);

  static constexpr usize kKnown = 256;
  static constexpr u32 kNameless = u32{1} << 31;  // marks a name's number as an index into nameless_

  FindTask find_;
  stacks::IdTable numbers_;
  std::vector<stacks::StackTask> tasks_;
  std::array<Task, kKnown> known_{};
  std::unordered_map<u32, u32> nameless_;  // tid → number of the name
};

}  // namespace wperf::recording
