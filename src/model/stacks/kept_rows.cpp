// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/kept_rows.h"

#include <algorithm>

namespace wperf::stacks {

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
  std::erase_if(moments.states, [&](const ThreadState& state) {
    const StackTask& task = profile.tasks[state.task];
    return !allows(filter.pids, task.pid) || !allows(filter.tids, task.tid) ||
           !allows(filter.comms, profile.names[task.name]);
  });
}

}  // namespace wperf::stacks
