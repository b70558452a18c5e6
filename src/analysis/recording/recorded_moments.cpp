// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_moments.h"

#include <algorithm>

namespace wperf::recording {

void MomentReader::add_count(u32 event, u32 core, u64 time_ns, u64 grown) {
  const auto [known, is_new] = tracks_.try_emplace({event, core}, static_cast<u32>(moments_.counters.size()));
  if (is_new) {
    moments_.counters.emplace_back().core = core;
    event_of_track_.push_back(event);
  }
  moments_.counters[known->second].points.push_back({time_ns, grown});
}

// A record about the state before the recording has time 0.
void MomentReader::add(const perf_data::Comm& comm) {
  if (!comm.by_exec || comm.identity.time == 0) return;
  moments_.marks.push_back({.time_ns = comm.identity.time,
                            .pid = comm.pid,
                            .tid = comm.tid,
                            .kind = stacks::MarkKind::program_begins,
                            .text = std::string(comm.name)});
}

void MomentReader::add(const perf_data::Task& task) {
  if (task.time == 0) return;
  const stacks::MarkKind kind = task.is_exit ? stacks::MarkKind::ends : stacks::MarkKind::thread_begins;
  moments_.marks.push_back({.time_ns = task.time, .pid = task.pid, .tid = task.tid, .kind = kind, .text = {}});
}

void MomentReader::add_loss(const perf_data::Identity& identity, u64 count, const char* what) {
  if (identity.time == 0) return;
  const u32 core = identity.has(perf_data::kSampleCpu) ? identity.cpu : stacks::kNothing;
  moments_.losses.push_back(
      {.begin_ns = identity.time, .end_ns = identity.time, .core = core, .count = count, .what = what});
}

stacks::Moments MomentReader::finish(stacks::GrowingArray<u32> rows, const std::vector<stacks::StackEvent>& events) {
  moments_.samples.rows = std::move(rows);
  for (usize i = 0; i < moments_.counters.size(); ++i) moments_.counters[i].name = events[event_of_track_[i]].name;
  // A trace also has programs that started long before it; their marks are removed.
  std::erase_if(moments_.marks, [&](const stacks::Mark& mark) { return mark.time_ns <= 1; });
  for (const stacks::Mark& mark : moments_.marks) note(mark.time_ns);
  for (const stacks::TimedLoss& loss : moments_.losses) note(loss.begin_ns);
  const auto by_time = [](const auto& time_of) {
    return [time_of](const auto& a, const auto& b) { return time_of(a) < time_of(b); };
  };
  std::stable_sort(moments_.marks.begin(), moments_.marks.end(), by_time([](const auto& one) { return one.time_ns; }));
  std::stable_sort(moments_.losses.begin(), moments_.losses.end(),
                   by_time([](const auto& one) { return one.begin_ns; }));
  return std::move(moments_);
}

}  // namespace wperf::recording
