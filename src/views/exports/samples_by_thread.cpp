// SPDX-License-Identifier: BSD-3-Clause
#include "views/exports/samples_by_thread.h"

#include <algorithm>

namespace wperf::exports {

SamplesByThread samples_by_thread(const Source& source) {
  const stacks::StackProfile& profile = source.profile;
  const stacks::Moments& moments = source.moments;
  SamplesByThread by_thread;
  std::vector<ThreadSample>& samples = by_thread.samples;
  std::vector<SampledThread>& threads = by_thread.threads;
  std::vector<u64> keys;
  const auto key = [&](u32 row) { return u64{profile.samples[row].task} << 32 | profile.samples[row].event; };
  for (u32 row = 0; row < profile.samples.size(); ++row) {
    if (keys.empty() || keys.back() != key(row)) keys.push_back(key(row));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<u32> thread_of_row;
  for (u32 row = 0; row < profile.samples.size(); ++row) {
    thread_of_row.push_back(static_cast<u32>(std::lower_bound(keys.begin(), keys.end(), key(row)) - keys.begin()));
  }
  std::vector<usize> begins(keys.size() + 1);
  for_each_moment(source, [&](u32, u32 row, u64, u64) { ++begins[thread_of_row[row] + usize{1}]; });
  for (usize i = 0; i < keys.size(); ++i) begins[i + 1] += begins[i];
  samples.resize(begins.back());
  std::vector<usize> next = begins;
  for_each_moment(source, [&](u32 moment, u32 row, u64 count, u64) {
    const u64 when = moment != kNothing ? moments.samples.times_ns[moment] : 0;
    samples[next[thread_of_row[row]]++] = {when, row, static_cast<u32>(std::min<u64>(count, ~u32{0}))};
  });
  std::vector<bool> has_thread(profile.tasks.size());
  const auto earlier = [](const ThreadSample& a, const ThreadSample& b) { return a.time < b.time; };
  for (usize i = 0; i < keys.size(); ++i) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(begins[i]);
    const auto last = samples.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]);
    if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    const auto task = static_cast<u32>(keys[i] >> 32);
    threads.push_back({task, static_cast<u32>(keys[i]), !has_thread[task], begins[i], begins[i + 1]});
    has_thread[task] = true;
  }
  for (const stacks::ThreadState& state : moments.states) {
    if (has_thread[state.task]) continue;
    has_thread[state.task] = true;
    threads.push_back({state.task, kNothing, true, 0, 0});
  }
  return by_thread;
}

}  // namespace wperf::exports
