// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/on_off_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/stacks/stack_aggregator.h"
#include "model/stacks/time_slices.h"

namespace wperf::waits {
namespace {

// The kinds of time that follow the wait classes.
constexpr u32 kRunning = waits::kWaitClasses, kReady = kRunning + 1, kUnknown = kReady + 1, kKinds = kUnknown + 1;
constexpr u32 kRoot = 0;

struct TimeSpan {
  u64 begin = 0, end = 0;
};

class Maker {
 public:
  Maker(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
        const WaitSelection& selection, recording::RecordedSamples& recorded, const OnOffSlices& sliced)
      : accounting_(accounting),
        switches_(switches),
        recorded_(recorded),
        profile_(recorded.profile),
        names_(switches, recorded, accounting),
        task_of_(names_, profile_),
        chosen_(chosen_threads(accounting, switches, selection)),
        waits_(sliced.waits) {
    if (sliced.length_ns != 0) slices_ = stacks::make_time_slices(accounting.begin, accounting.end, sliced.length_ns);
  }

  void make() {
    profile_.nodes.assign(1, {});
    node_of_row_.assign(profile_.samples.size(), stacks::kNothing);
    add_stretches();
    share_running();
    place_waits();
    replace_samples();
  }

 private:
  u32 node_below(u32 parent, u32 place) {
    const auto [known, is_new] = nodes_.try_emplace(u64{parent} << 32 | place, static_cast<u32>(profile_.nodes.size()));
    if (is_new) profile_.nodes.push_back({.parent = parent, .place = place});
    return known->second;
  }

  // The node of a sample's stack.
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

  void add(u32 thread, u32 parent, u32 kind, const TimeSpan& span) {
    if (span.begin == span.end) return;
    const auto [known, is_new] =
        rows_.try_emplace({task_of_(thread), u64{parent} * kKinds + kind}, static_cast<u32>(times_.size()));
    const u32 row = known->second;
    if (is_new) times_.push_back(0);
    times_[row] += span.end - span.begin;
    if (slices_.count != 0) add_slices(row, span);
  }

  void add_slices(u32 row, const TimeSpan& span) {
    for (u64 begin = span.begin; begin < span.end;) {
      const u32 slice = slices_.at(begin);
      const bool is_last = slice + 1 == slices_.count;
      const u64 end = is_last ? span.end : std::min(span.end, slices_.begin_ns + (u64{slice} + 1) * slices_.length_ns);
      slice_tally_.add(row, slice, end - begin, end - begin);
      begin = end;
    }
  }

  void add_stretches() {
    std::vector<u32> left_at(accounting_.threads.size(), stacks::kNoSample);
    running_.resize(accounting_.threads.size());
    waits::account(
        switches_.switches, switches_.unrecorded, accounting_.begin, accounting_.end, [&](const waits::Stretch& one) {
          if (!chosen_[one.thread]) return;
          const TimeSpan span{one.begin, one.end};
          const u32 thread = accounting_.threads[one.thread].thread;
          const waits::Wait* const wait = one.wait < accounting_.waits.size() ? &accounting_.waits[one.wait] : nullptr;
          switch (one.state) {
            case waits::State::running:
              left_at[one.thread] = one.sample;
              running_[one.thread].push_back(span);
              break;
            case waits::State::ready: {
              const u32 sample = wait != nullptr ? wait->sample
                                 : one.preempted ? left_at[one.thread]
                                                 : stacks::kNoSample;
              add(thread, node_of_switch(sample), kReady, span);
              break;
            }
            case waits::State::waiting:
              if (wait != nullptr)
                add(thread, node_of_switch(wait->sample), static_cast<u32>(names_.class_of(*wait)), span);
              break;
            case waits::State::unknown:
              add(thread, kRoot, kUnknown, span);
              break;
          }
        });
  }

  // Each sample gets its share of the time that remains, so that rounding loses nothing. Earlier samples get earlier
  // time, so that a period has about the samples that were taken in it.
  void share_running() {
    std::unordered_map<u32, u64> weights;  // by thread
    for (const recording::RunningSample& one : switches_.running_samples) weights[one.thread] += one.weight;
    struct RemainingStretches {
      usize next = 0;  // index into the thread's periods
      u64 time = 0;    // the total length of the periods
      std::vector<TimeSpan>* spans = nullptr;
    };
    std::unordered_map<u32, RemainingStretches> left;
    for (u32 i = 0; i < accounting_.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      const u32 thread = accounting_.threads[i].thread;
      if (!weights.contains(thread)) {
        for (const TimeSpan& span : running_[i]) add(thread, kRoot, kRunning, span);
      }
      u64 time = 0;
      for (const TimeSpan& span : running_[i]) time += span.end - span.begin;
      left[thread] = {0, time, &running_[i]};
    }
    for (const recording::RunningSample& one : switches_.running_samples) {
      const auto known = left.find(one.thread);
      if (known == left.end()) continue;
      RemainingStretches& of = known->second;
      u64& weight = weights[one.thread];
      const auto share = static_cast<u64>(static_cast<double>(of.time) * static_cast<double>(one.weight) /
                                          static_cast<double>(std::max<u64>(weight, 1)));
      u64 part = weight == one.weight ? of.time : std::min(of.time, share);
      of.time -= part;
      weight -= one.weight;
      const u32 node = node_of(one.sample);
      while (part != 0) {
        TimeSpan& span = (*of.spans)[of.next];
        const TimeSpan taken{span.begin, span.begin + std::min(part, span.end - span.begin)};
        add(one.thread, node, kRunning, taken);
        part -= taken.end - taken.begin;
        span.begin = taken.end;
        if (span.begin == span.end) ++of.next;
      }
    }
  }

  u32 place_of(u32 kind) {
    if (places_.empty()) places_.resize(kKinds, stacks::kNothing);
    if (places_[kind] == stacks::kNothing) {
      if (module_ == stacks::kNothing) {
        module_ = static_cast<u32>(profile_.modules.size());
        profile_.modules.push_back({.name = "[time]", .path = {}, .reason = {}});
      }
      const std::string name = kind == kRunning   ? "[running]"
                               : kind == kReady   ? "[ready]"
                               : kind == kUnknown ? "[unknown: not recorded]"
                                                  : fmt::format("[waiting: {}]", waits::kWaitClassNames[kind]);
      places_[kind] = static_cast<u32>(profile_.places.size());
      profile_.places.push_back({.function = static_cast<u32>(profile_.functions.size())});
      profile_.functions.push_back({.name = name, .module = module_, .is_known = true});
    }
    return places_[kind];
  }

  void replace_samples() {
    profile_.samples = {};
    profile_.slices = slices_;
    profile_.slice_counts = slice_tally_.take();
    profile_.events.assign(1, {.name = std::string(stacks::kAllTime)});
    std::vector<stacks::StackSample> samples(times_.size());
    for (const auto& [key, row] : rows_) {
      const u32 node =
          node_below(static_cast<u32>(key.second / kKinds), place_of(static_cast<u32>(key.second % kKinds)));
      samples[row] = {.task = key.first, .node = node, .count = times_[row], .period = times_[row]};
    }
    for (const stacks::StackSample& sample : samples) {
      profile_.samples.push_back(sample);
      profile_.events[0].samples += sample.count;
      profile_.events[0].period += sample.period;
    }
  }

  void place_waits() {
    if (waits_ == nullptr) return;
    for (waits::WaitMoment& one : waits_->waits) {
      const waits::Wait& wait = accounting_.waits[one.wait];
      one.task = task_of_(accounting_.threads[wait.thread].thread);
      one.node = node_below(node_of_switch(wait.sample), place_of(static_cast<u32>(names_.class_of(wait))));
    }
  }

  const waits::Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  const recording::RecordedSamples& recorded_;
  stacks::StackProfile& profile_;
  WaitNames names_;
  ThreadTasks task_of_;
  const std::vector<bool> chosen_;
  waits::WaitMoments* const waits_;
  stacks::TimeSlices slices_;
  stacks::SliceTally slice_tally_;
  std::vector<std::vector<TimeSpan>> running_;  // by thread of the accounting; time that is not distributed yet
  std::map<std::pair<u32, u64>, u32> rows_;     // keyed by task, and by node and kind
  std::vector<u64> times_;                      // by row
  std::unordered_map<u64, u32> nodes_;          // keyed by parent and place
  std::vector<u32> node_of_row_;                // kNothing if not looked up yet
  std::vector<u32> places_;                     // by kind
  u32 module_ = stacks::kNothing;
};

}  // namespace

void make_on_off_profile(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                         const WaitSelection& selection, recording::RecordedSamples& recorded,
                         const OnOffSlices& sliced) {
  Maker(accounting, switches, selection, recorded, sliced).make();
}

}  // namespace wperf::waits
