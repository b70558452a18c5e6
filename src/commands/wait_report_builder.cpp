// SPDX-License-Identifier: BSD-3-Clause
#include "commands/wait_report_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "stacks/stack_aggregator.h"

namespace wperf::commands {
namespace {

using stacks::kNothing;
using waits::WaitClass;

constexpr u32 kNoRow = stacks::StackAggregator::kNoRow;

class Builder {
 public:
  Builder(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
          const recording::RecordedSamples& recorded, const WaitSelection& selection)
      : accounting_(accounting),
        switches_(switches.switches),
        known_(switches.threads),
        has_stacks_(switches.has_stacks),
        has_windows_reasons_(switches.has_windows_reasons),
        profile_(recorded.profile),
        lists_(recorded.lists),
        row_of_sample_(recorded.row_of_sample),
        selection_(selection) {
    places_.resize(profile_.samples.size());
    for (const waits::ThreadTimes& times : accounting.threads) chosen_.push_back(is_chosen(times.thread));
  }

  waits::WaitReport build() {
    out_.duration = accounting_.end - accounting_.begin;
    out_.switches = accounting_.switches;
    out_.wakeups = accounting_.wakeups;
    out_.contradictions = accounting_.contradictions;
    out_.threads_in_all = accounting_.threads.size();
    add_threads();
    if (selection_.timeline) {
      add_timeline();
      return std::move(out_);
    }
    add_functions_and_wakers();
    add_starved();
    for (u32 core = 0; core < accounting_.cores.size(); ++core) {
      if (accounting_.cores[core].switches != 0) out_.cores.push_back({core, accounting_.cores[core]});
    }
    return std::move(out_);
  }

 private:
  struct Place {
    std::string_view function, module;
    WaitClass wait = WaitClass::unexplained;
    u32 group = 0;  // of its function; 0: nobody knows it
    bool is_known = false;
  };

  bool is_chosen(u32 thread) const {
    const u32 process = process_of(thread);
    if (!selection_.threads.empty() && !selection_.threads.contains(thread)) return false;
    if (!selection_.processes.empty() && !selection_.processes.contains(process)) return false;
    return selection_.names.empty() || selection_.names.contains(std::string(name_of(thread)));
  }

  std::string_view name_of(u32 thread) const {
    const auto known = known_.find(thread);
    return known != known_.end() ? std::string_view(known->second.name) : std::string_view();
  }
  u32 process_of(u32 thread) const {
    const auto known = known_.find(thread);
    return known != known_.end() ? known->second.process : 0;
  }
  std::string text_of(u32 thread) const {
    if (thread == waits::kUnknown) return "nobody knows";
    if (thread == waits::kNobody || thread == waits::kIdleThread) return "an interrupt";
    const std::string_view name = name_of(thread);
    return name.empty() ? fmt::format("thread {}", thread) : fmt::format("{} ({})", name, thread);
  }

  // Where and what for, by the stack it left its core with. Each different stack is looked at once.
  Place place_of(const waits::Wait& wait) {
    Place place = stack_place_of(wait);
    const bool is_told = place.wait != WaitClass::unexplained && place.wait != WaitClass::other;
    if (!is_told && has_windows_reasons_) {
      const WaitClass reason = waits::class_of_reason(wait.reason);
      if (reason != WaitClass::unexplained) place.wait = reason;
    }
    return place;
  }

  const Place& stack_place_of(const waits::Wait& wait) {
    const u32 row = wait.sample < row_of_sample_.size() ? row_of_sample_[wait.sample] : kNoRow;
    if (row >= places_.size() || !has_stacks_) return nowhere_;
    Place& place = places_[row];
    if (!place.is_known) {
      place = look_at(row);
      place.is_known = true;
      place.group = group_of(place);
    }
    return place;
  }

  // The same for all stacks that end in one function.
  u32 group_of(const Place& place) {
    return groups_.try_emplace({place.function, place.module}, static_cast<u32>(groups_.size())).first->second;
  }

  Place look_at(u32 row) const {
    Place place;
    waits::StackClass wait;
    const stacks::StackFunction *own = nullptr, *kernel = nullptr;
    std::array<bool, 2> is_told{};
    for (u64 i = lists_.stack_begins[row]; i < lists_.stack_begins[row + usize{1}]; ++i) {
      const u32 address = lists_.addresses[i];
      for (u32 frame = lists_.frame_begins[address]; frame < lists_.frame_begins[address + usize{1}]; ++frame) {
        const u32 number = profile_.places[lists_.frames[frame].place].function;
        const stacks::StackFunction& function = profile_.functions[number];
        if (!function.is_known) continue;
        wait.take(function.name, function.is_kernel);
        const bool tells = waits::class_of_function(function.name) != WaitClass::unexplained;
        const stacks::StackFunction*& shown = function.is_kernel ? kernel : own;
        // What a reader knows: pthread_mutex_lock, and not what it calls within its library.
        if (tells && !is_told[function.is_kernel]) shown = &function;
        if (shown == nullptr && !function.is_kernel) shown = &function;
        is_told[function.is_kernel] = is_told[function.is_kernel] || tells;
      }
    }
    if (const stacks::StackFunction* const shown = own != nullptr ? own : kernel; shown != nullptr) {
      place.function = shown->name;
      place.module = profile_.modules[shown->module].name;
    }
    place.wait = wait.get();
    return place;
  }

  void add_threads() {
    std::vector<std::array<u64, waits::kWaitClasses>> classes(accounting_.threads.size());
    for (const waits::Wait& wait : accounting_.waits) {
      if (!chosen_[wait.thread] || !wait.is_known) continue;
      classes[wait.thread][static_cast<usize>(place_of(wait).wait)] += wait.length();
    }
    for (usize i = 0; i < accounting_.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      const waits::ThreadTimes& times = accounting_.threads[i];
      out_.threads.push_back({.name = std::string(name_of(times.thread)),
                              .process = process_of(times.thread),
                              .thread = times.thread,
                              .times = times,
                              .by_class = classes[i]});
    }
    std::stable_sort(out_.threads.begin(), out_.threads.end(),
                     [](const waits::ThreadRow& a, const waits::ThreadRow& b) {
                       return a.times.running + a.times.ready > b.times.running + b.times.ready;
                     });
  }

  void add_functions_and_wakers() {
    struct Sums {
      Place place;
      std::vector<u64> lengths;
      std::map<u32, u64> wakers;
    };
    std::vector<Sums> functions;                      // by group and class
    std::unordered_map<u64, waits::WakerRow> wakers;  // by waiter and waker
    for (const waits::Wait& wait : accounting_.waits) {
      if (!chosen_[wait.thread] || !wait.is_known) continue;
      const Place place = place_of(wait);
      const usize number = place.group * waits::kWaitClasses + static_cast<usize>(place.wait);
      if (number >= functions.size()) functions.resize(number + 1);
      Sums& sums = functions[number];
      sums.place = place;
      sums.lengths.push_back(wait.length());
      if (!wait.has_end || accounting_.wakeups == 0) continue;
      sums.wakers[wait.waker] += wait.length();
      waits::WakerRow& row = wakers[u64{accounting_.threads[wait.thread].thread} << 32 | wait.waker];
      ++row.count;
      row.waited += wait.length();
      row.latency += wait.latency();
    }
    for (Sums& sums : functions) {
      if (sums.lengths.empty()) continue;
      std::sort(sums.lengths.begin(), sums.lengths.end());
      waits::FunctionRow row{.function = std::string(sums.place.function),
                             .module = std::string(sums.place.module),
                             .wait = sums.place.wait,
                             .count = sums.lengths.size(),
                             .median = at_share(sums.lengths, 50),
                             .most_of_99_percent = at_share(sums.lengths, 99),
                             .longest = sums.lengths.back(),
                             .waker = {}};
      for (const u64 length : sums.lengths) row.total += length;
      const auto most = std::max_element(sums.wakers.begin(), sums.wakers.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most != sums.wakers.end()) row.waker = text_of(most->first);
      out_.functions.push_back(std::move(row));
    }
    std::stable_sort(out_.functions.begin(), out_.functions.end(),
                     [](const waits::FunctionRow& a, const waits::FunctionRow& b) { return a.total > b.total; });
    for (auto& [key, row] : wakers) {
      row.waiter = text_of(static_cast<u32>(key >> 32));
      row.waker = text_of(static_cast<u32>(key));
      out_.wakers.push_back(std::move(row));
    }
    std::sort(out_.wakers.begin(), out_.wakers.end(), [](const waits::WakerRow& a, const waits::WakerRow& b) {
      return std::tie(b.waited, a.waiter, a.waker) < std::tie(a.waited, b.waiter, b.waker);
    });
  }

  // The smallest that at least so many percent are not longer than.
  static u64 at_share(const std::vector<u64>& sorted, usize percent) {
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
  }

  // While a thread is ready, the core that it comes to in the end runs others.
  void add_starved() {
    std::unordered_map<u32, u64> ready;  // since when
    struct Run {
      u32 thread = waits::kNobody;
      u64 since = 0;
    };
    std::vector<std::vector<Run>> runs(accounting_.cores.size());
    std::map<std::pair<u32, u32>, waits::StarvedRow> rows;
    for (const waits::Switch& event : switches_) {
      if (event.kind != waits::Kind::switched) {
        if (event.comes != waits::kNobody) ready.try_emplace(event.comes, event.time);
        continue;
      }
      if (event.leaving == waits::Leaving::preempted && event.leaves != waits::kIdleThread)
        ready.insert_or_assign(event.leaves, event.time);
      if (event.leaving != waits::Leaving::preempted) ready.erase(event.leaves);
      std::vector<Run>& core = runs[event.core];
      if (const auto waiting = ready.find(event.comes); waiting != ready.end()) {
        add_runs(core, event.comes, waiting->second, event.time, rows);
        ready.erase(waiting);
      }
      constexpr usize kRemembered = 1024;
      if (core.size() == kRemembered) core.erase(core.begin(), core.begin() + kRemembered / 2);
      core.push_back({event.comes, event.time});
    }
    for (auto& [key, row] : rows) {
      row.ready = text_of(key.first);
      row.ran = text_of(key.second);
      out_.starved.push_back(std::move(row));
    }
    std::stable_sort(out_.starved.begin(), out_.starved.end(),
                     [](const waits::StarvedRow& a, const waits::StarvedRow& b) { return a.time > b.time; });
  }

  template <class Runs, class Rows>
  void add_runs(const Runs& core, u32 thread, u64 begin, u64 end, Rows& rows) const {
    if (!is_chosen(thread)) return;
    u64 until = end;
    for (auto run = core.rbegin(); run != core.rend() && until > begin; ++run) {
      const u64 from = std::max(run->since, begin);
      if (run->thread != waits::kIdleThread && run->thread != waits::kNobody && run->thread != thread && until > from) {
        waits::StarvedRow& row = rows[{thread, run->thread}];
        row.time += until - from;
        ++row.times;
      }
      until = from;
    }
  }

  void add_timeline() {
    // Of several, the one that a process began with.
    u32 wanted = static_cast<u32>(chosen_.size());
    for (u32 i = 0; i < chosen_.size(); ++i) {
      if (!chosen_[i]) continue;
      out_.has_others = out_.has_others || wanted != chosen_.size();
      const u32 thread = accounting_.threads[i].thread;
      if (wanted == chosen_.size() || process_of(thread) == thread) wanted = i;
    }
    if (wanted == chosen_.size()) return;
    out_.timeline_of = text_of(accounting_.threads[wanted].thread);
    waits::account(switches_, accounting_.begin, accounting_.end, [&](const waits::Stretch& stretch) {
      const u64 from = stretch.begin - accounting_.begin, to = stretch.end - accounting_.begin;
      if (stretch.thread != wanted || to < selection_.from || from > selection_.to) return;
      waits::StretchRow row{.state = stretch.state,
                            .preempted = stretch.preempted,
                            .from = from,
                            .length = to - from,
                            .core = stretch.core,
                            .function = {},
                            .waker = {}};
      if (stretch.state == waits::State::waiting && stretch.wait < accounting_.waits.size()) {
        const waits::Wait& wait = accounting_.waits[stretch.wait];
        const Place place = place_of(wait);
        row.function = place.function;
        row.wait = place.wait;
        if (wait.has_end && accounting_.wakeups != 0) row.waker = text_of(wait.waker);
      }
      out_.timeline.push_back(std::move(row));
    });
  }

  const waits::Accounting& accounting_;
  const std::span<const waits::Switch> switches_;
  const std::unordered_map<u32, recording::SwitchedThread>& known_;
  const bool has_stacks_, has_windows_reasons_;
  const stacks::StackProfile& profile_;
  const stacks::LineStacks& lists_;
  const stacks::GrowingArray<u32>& row_of_sample_;
  const WaitSelection& selection_;
  std::vector<bool> chosen_;   // by thread of the accounting
  std::vector<Place> places_;  // by row; looked at when they are asked for
  const Place nowhere_{};
  std::map<std::pair<std::string_view, std::string_view>, u32> groups_{{{}, 0}};  // function and module
  waits::WaitReport out_;
};

}  // namespace

waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    const recording::RecordedSamples& recorded, const WaitSelection& selection) {
  return Builder(accounting, switches, recorded, selection).build();
}

}  // namespace wperf::commands
