// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/switch_counts.h"

#include <algorithm>

#include "formats/etl/kernel_payloads.h"

namespace wperf::etl {

void SwitchCounts::take(const Event& event) {
  if (const auto thread = thread_event(event); thread.has_value() && thread->kind == Rundown::begins) {
    current_.erase(thread->thread);
    return;
  }
  const auto change = switch_event(event);
  if (!change.has_value()) return;
  if (!cores_wanted_.empty() && !cores_wanted_.contains(event.core)) return;
  take_switch(event, change->old_thread, change->new_thread);
}

SwitchCounts::Thread& SwitchCounts::thread_of(u32 thread, u64 time) {
  const auto [known, is_new] = current_.try_emplace(thread, threads_.size());
  if (is_new) {
    threads_.push_back({.thread = thread, .time = time, .spent = {}});
    threads_.back().spent.values.resize(counters_);
  }
  return threads_[known->second];
}

bool SwitchCounts::in_gap(u16 core, u64 from, u64 to) const {
  const auto gap = std::partition_point(unrecorded_.begin(), unrecorded_.end(), [&](const Unrecorded& one) {
    return one.core != core ? one.core < core : one.end <= from;
  });
  return gap != unrecorded_.end() && gap->core == core && gap->begin < to;
}

void SwitchCounts::take_switch(const Event& event, u32 leaves, u32 comes) {
  if (event.core >= cores_.size()) cores_.resize(event.core + usize{1});
  Core& core = cores_[event.core];
  Core next{.is_known = true, .thread = comes, .since = event.time, .has_values = false, .values = {}};
  next.has_values = event.counters.size() == counters_ * sizeof(u64);
  without_ += !next.has_values;
  for (usize i = 0; next.has_values && i < counters_; ++i) {
    next.values.push_back(field<u64>(event.counters, i * sizeof(u64)));
  }
  if (!core.is_known) {
    thread_of(leaves, event.time).spent.unseen += event.time - std::min(begin_, event.time);
  } else {
    spend(event.core, leaves, core, next);
  }
  ++thread_of(comes, event.time).spent.switches;
  core = std::move(next);
}

void SwitchCounts::spend(u16 core, u32 thread, const Core& from, const Core& to) {
  if (core >= by_core_.size()) by_core_.resize(core + usize{1});
  Spent& of_core = by_core_[core];
  of_core.values.resize(counters_);
  Spent& of_thread = thread_of(thread, from.since).spent;
  const u64 time = to.since - std::min(from.since, to.since);
  bool is_sound = from.thread == thread && from.has_values && to.has_values && !in_gap(core, from.since, to.since);
  for (usize i = 0; is_sound && i < counters_; ++i) is_sound = to.values[i] >= from.values[i];
  if (thread != 0) ++of_core.switches;
  for (Spent* one : {&of_thread, &of_core}) {
    if (one == &of_core && thread == 0) continue;
    one->running += time;
    if (!is_sound) one->lost += time;
    for (usize i = 0; is_sound && i < counters_; ++i) one->values[i] += to.values[i] - from.values[i];
  }
}

void SwitchCounts::finish(u64 end) {
  for (const Core& core : cores_) {
    if (!core.is_known || end <= core.since) continue;
    thread_of(core.thread, core.since).spent.unseen += end - core.since;
  }
}

}  // namespace wperf::etl
