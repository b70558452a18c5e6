// SPDX-License-Identifier: BSD-3-Clause
#include "commands/on_off_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "stacks/stack_aggregator.h"

namespace wperf::commands {
namespace {

// What follows waits' classes as kinds of time.
constexpr u32 kRunning = waits::kWaitClasses, kReady = kRunning + 1, kKinds = kReady + 1;
constexpr u32 kRoot = 0;

class Maker {
 public:
  Maker(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
        const WaitSelection& selection, recording::RecordedSamples& recorded)
      : accounting_(accounting),
        switches_(switches),
        recorded_(recorded),
        profile_(recorded.profile),
        names_(switches, recorded),
        task_of_(names_, profile_),
        chosen_(chosen_threads(accounting, switches, selection)) {}

  void make() {
    profile_.nodes.assign(1, {});
    node_of_row_.assign(profile_.samples.size(), stacks::kNothing);
    add_stretches();
    share_running();
    replace_samples();
  }

 private:
  u32 node_below(u32 parent, u32 place) {
    const auto [known, is_new] = nodes_.try_emplace(u64{parent} << 32 | place, static_cast<u32>(profile_.nodes.size()));
    if (is_new) profile_.nodes.push_back({.parent = parent, .place = place});
    return known->second;
  }

  // The path of a sample's stack, from the outermost caller down.
  u32 node_of(u32 sample) {
    const u32 row =
        sample < recorded_.row_of_sample.size() ? recorded_.row_of_sample[sample] : stacks::StackAggregator::kNoRow;
    if (row >= node_of_row_.size()) return kRoot;
    u32& node = node_of_row_[row];
    if (node != stacks::kNothing) return node;
    node = kRoot;
    const stacks::LineStacks& lists = recorded_.lists;
    for (u64 i = lists.stack_begins[row + usize{1}]; i-- > lists.stack_begins[row];) {
      const u32 address = lists.addresses[i];
      for (u32 frame = lists.frame_begins[address + usize{1}]; frame-- > lists.frame_begins[address];) {
        node = node_below(node, lists.frames[frame].place);
      }
    }
    return node;
  }

  u32 node_of_switch(u32 sample) { return switches_.has_stacks ? node_of(sample) : kRoot; }

  void add(u32 thread, u32 parent, u32 kind, u64 time) {
    if (time != 0) times_[{task_of_(thread), u64{parent} * kKinds + kind}] += time;
  }

  void add_stretches() {
    std::vector<u32> left_at(accounting_.threads.size(), waits::kNoSample);
    running_.resize(accounting_.threads.size());
    waits::account(switches_.switches, accounting_.begin, accounting_.end, [&](const waits::Stretch& one) {
      if (!chosen_[one.thread]) return;
      const u64 length = one.end - one.begin;
      const u32 thread = accounting_.threads[one.thread].thread;
      const waits::Wait* const wait = one.wait < accounting_.waits.size() ? &accounting_.waits[one.wait] : nullptr;
      switch (one.state) {
        case waits::State::running:
          left_at[one.thread] = one.sample;
          running_[one.thread] += length;
          break;
        case waits::State::ready: {
          const u32 sample = wait != nullptr ? wait->sample : one.preempted ? left_at[one.thread] : waits::kNoSample;
          add(thread, node_of_switch(sample), kReady, length);
          break;
        }
        case waits::State::waiting:
          if (wait != nullptr)
            add(thread, node_of_switch(wait->sample), static_cast<u32>(names_.place_of(*wait).wait), length);
          break;
        case waits::State::unknown:
          break;
      }
    });
  }

  void share_running() {
    std::unordered_map<u32, u64> weights;  // by thread
    for (const recording::RunningSample& one : switches_.running_samples) weights[one.thread] += one.weight;
    std::unordered_map<u32, u32> numbers;
    for (u32 i = 0; i < accounting_.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      const u32 thread = accounting_.threads[i].thread;
      numbers[thread] = i;
      if (!weights.contains(thread)) add(thread, kRoot, kRunning, running_[i]);
    }
    // Each gets what is left by its share of what is left: so nothing is lost to rounding.
    for (const recording::RunningSample& one : switches_.running_samples) {
      const auto number = numbers.find(one.thread);
      if (number == numbers.end()) continue;
      u64 &time = running_[number->second], &weight = weights[one.thread];
      const auto share = static_cast<u64>(static_cast<double>(time) * static_cast<double>(one.weight) /
                                          static_cast<double>(std::max<u64>(weight, 1)));
      const u64 part = weight == one.weight ? time : std::min(time, share);
      add(one.thread, node_of(one.sample), kRunning, part);
      time -= part;
      weight -= one.weight;
    }
  }

  u32 place_of(u32 kind) {
    if (places_.empty()) places_.resize(kKinds, stacks::kNothing);
    if (places_[kind] == stacks::kNothing) {
      if (module_ == stacks::kNothing) {
        module_ = static_cast<u32>(profile_.modules.size());
        profile_.modules.push_back({.name = "[time]", .path = {}, .reason = {}});
      }
      const std::string name = kind == kRunning ? "[running]"
                               : kind == kReady ? "[ready]"
                                                : fmt::format("[waiting: {}]", waits::kWaitClassNames[kind]);
      places_[kind] = static_cast<u32>(profile_.places.size());
      profile_.places.push_back({.function = static_cast<u32>(profile_.functions.size())});
      profile_.functions.push_back({.name = name, .module = module_, .is_known = true});
    }
    return places_[kind];
  }

  void replace_samples() {
    profile_.samples = {};
    profile_.slice_counts = {};
    profile_.events.assign(1, {.name = std::string(stacks::kAllTime)});
    for (const auto& [key, time] : times_) {
      const u32 node =
          node_below(static_cast<u32>(key.second / kKinds), place_of(static_cast<u32>(key.second % kKinds)));
      profile_.samples.push_back({.task = key.first, .node = node, .count = time, .period = time});
      profile_.events[0].samples += time;
      profile_.events[0].period += time;
    }
  }

  const waits::Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  const recording::RecordedSamples& recorded_;
  stacks::StackProfile& profile_;
  WaitNames names_;
  ThreadTasks task_of_;
  const std::vector<bool> chosen_;
  std::vector<u64> running_;                  // by thread of the accounting; what is not shared out yet
  std::map<std::pair<u32, u64>, u64> times_;  // by task, and node and kind
  std::unordered_map<u64, u32> nodes_;        // by parent and place
  std::vector<u32> node_of_row_;              // kNothing: not asked for yet
  std::vector<u32> places_;                   // by kind
  u32 module_ = stacks::kNothing;
};

}  // namespace

void make_on_off_profile(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                         const WaitSelection& selection, recording::RecordedSamples& recorded) {
  Maker(accounting, switches, selection, recorded).make();
}

}  // namespace wperf::commands
