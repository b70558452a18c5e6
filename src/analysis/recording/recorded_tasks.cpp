// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_tasks.h"

#include <fmt/format.h>

namespace wperf::recording {

RecordedTasks::Task RecordedTasks::find(u32 pid, u32 tid, u64 when) {
  const perf_data::ProcessHistory::Task task = find_(pid, tid, when);
  const u32 name = name_of(tid, task.name);
  const u32 program = task.program != perf_data::kNoCode ? task.program : stacks::kNothing;
  const auto [number, is_new] = numbers_.insert((u64{pid} << 32) | tid, (u64{program} << 32) | name);
  if (is_new) tasks_.push_back({pid, tid, name, program});
  return {pid, tid, number, task.space, task.begin, task.end};
}

// A thread without a name is named by its number, as in perf.
u32 RecordedTasks::name_of(u32 tid, u32 name) {
  if (name != perf_data::kNoCode) return name;
  return kNameless | nameless_.try_emplace(tid, static_cast<u32>(nameless_.size())).first->second;
}

void RecordedTasks::finish(const perf_data::ProcessHistory& history, stacks::StackProfile& profile) {
  profile.names = history.names();
  const usize named = profile.names.size();
  profile.names.resize(named + nameless_.size());
  for (const auto& [tid, number] : nameless_) profile.names[named + number] = fmt::format(":{}", static_cast<int>(tid));
  for (stacks::StackTask& task : tasks_) {
    if ((task.name & kNameless) != 0) task.name = static_cast<u32>(named) + (task.name & ~kNameless);
  }
  profile.tasks = std::move(tasks_);
}

}  // namespace wperf::recording
