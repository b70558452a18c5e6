// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_report_builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/waits/critical_path.h"
#include "analysis/waits/lock_holders.h"
#include "model/stacks/python_modules.h"
#include "model/stacks/unrecorded.h"

namespace wperf::waits {
namespace {

class Builder {
 public:
  Builder(const waits::Accounting& accounting, const recording::RecordedSwitches& switches, WaitNames& names,
          const WaitLocks& locks, const WaitSelection& selection)
      : accounting_(accounting),
        switches_(switches),
        names_(names),
        locks_(locks),
        selection_(selection),
        chosen_(chosen_threads(accounting, switches, selection)) {}

  waits::WaitReport build() {
    out_.duration = accounting_.end - accounting_.begin;
    out_.switches = accounting_.switches;
    out_.wakeups = switches_.has_wakeups ? accounting_.wakeups : 0;
    out_.contradictions = accounting_.contradictions;
    out_.threads_in_all = accounting_.threads.size();
    if (switches_.of_whole_cores) add_cost();
    add_threads();
    out_.left_out.min = selection_.min_ns;
    if (selection_.critical_path) {
      out_.path = build_critical_path(accounting_, switches_, names_, selection_);
      return std::move(out_);
    }
    if (selection_.timeline) {
      add_timeline();
      return std::move(out_);
    }
    add_functions_and_wakers();
    add_locks({accounting_, switches_, chosen_}, selection_.min_ns, names_, locks_, out_);
    if (!switches_.of_whole_cores) return std::move(out_);
    add_starved();
    for (u32 core = 0; core < accounting_.cores.size(); ++core) {
      if (accounting_.cores[core].switches == 0) continue;
      out_.cores.push_back({core, accounting_.cores[core]});
      if (core < switches_.interrupts.size()) out_.cores.back().interrupts = switches_.interrupts[core];
    }
    return std::move(out_);
  }

 private:
  // The recorder's own threads are recorded like all others.
  void add_cost() {
    static constexpr std::string_view kRecorders[] = {"wperf",     "wperf.exe", "perf",        "wpr.exe",
                                                      "xperf.exe", "WPRUI.exe", "PerfView.exe"};
    std::map<u32, u64> times;  // by process
    for (const waits::ThreadTimes& one : accounting_.threads) {
      const u32 process = names_.process_of(one.thread);
      const bool is_one = switches_.recorder != 0 ? process == switches_.recorder
                                                  : std::find(std::begin(kRecorders), std::end(kRecorders),
                                                              names_.thread_name(one.thread)) != std::end(kRecorders);
      if (is_one) times[process] += one.running;
    }
    // If there are several recorders, it is unknown which one made this recording.
    if (times.size() == 1) out_.recorder_time = times.begin()->second;
    out_.switch_cost = switches_.switch_cost_ns;
    for (const waits::CoreTimes& core : accounting_.cores) out_.cores_time += core.busy + core.idle;
  }

  void add_threads() {
    std::vector<std::array<u64, waits::kWaitClasses>> classes(accounting_.threads.size());
    for (const waits::Wait& wait : accounting_.waits) {
      if (!chosen_[wait.thread] || !wait.is_known) continue;
      classes[wait.thread][static_cast<usize>(names_.class_of(wait))] += wait.length();
    }
    for (usize i = 0; i < accounting_.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      const waits::ThreadTimes& times = accounting_.threads[i];
      out_.threads.push_back({.name = std::string(names_.thread_name(times.thread)),
                              .process = names_.process_of(times.thread),
                              .thread = names_.number_of(times.thread),
                              .times = times,
                              .by_class = classes[i]});
    }
    std::stable_sort(out_.threads.begin(), out_.threads.end(),
                     [](const waits::ThreadRow& a, const waits::ThreadRow& b) {
                       return a.times.running + a.times.ready > b.times.running + b.times.ready;
                     });
  }

  struct FunctionSums {
    WaitPlace place;
    std::vector<u64> lengths;
    std::map<u32, u64> wakers;
    std::map<std::pair<u32, u32>, u64> holders;  // of the GIL; keyed by thread and group of the place
  };

  // False for waits with unrecorded periods, because a release may be missing there.
  bool is_of_gil(const waits::Wait& wait) {
    return wait.is_known && wait.unknown == 0 && names_.class_of(wait) == waits::WaitClass::gil;
  }
  void collect_holders() {
    if (!switches_.has_wakeups) return;
    for (const waits::Wait& wait : accounting_.waits) {
      if (!wait.has_end || !is_of_gil(wait)) continue;
      const u32 by = WaitNames::ender_of(wait), process = names_.process_of(accounting_.threads[wait.thread].thread);
      if (by == stacks::kNobody || by == stacks::kUnknown || names_.process_of(by) != process) continue;
      const WaitPlace& place = names_.place_of_ender(wait);
      holding_places_.try_emplace(place.group, place);
      holders_.add(process, {.time = wait.woken, .holder = by, .place = place.group});
    }
    holders_.sort();
  }
  void add_holders(const waits::Wait& wait, FunctionSums& sums) {
    if (!is_of_gil(wait)) return;
    const u32 waiter = accounting_.threads[wait.thread].thread;
    holders_.during(names_.process_of(waiter), wait.begin, wait.woken,
                    [&](const LockHolders::Release& release, u64 ns) {
                      if (release.holder != waiter) sums.holders[{release.holder, release.place}] += ns;
                    });
  }

  void add_functions_and_wakers() {
    collect_holders();
    std::vector<FunctionSums> functions;  // by group and class
    // Keyed by waiter and waker, then by the groups of their places.
    std::unordered_map<u64, std::map<u64, waits::WakerRow>> wakers;
    for (const waits::Wait& wait : accounting_.waits) {
      if (!chosen_[wait.thread] || !wait.is_known || is_left_out(wait)) continue;
      const WaitPlace& place = names_.place_of_sample(wait.sample);
      const WaitClass purpose = names_.class_of(wait);
      const usize number = place.group * waits::kWaitClasses + static_cast<usize>(purpose);
      if (number >= functions.size()) functions.resize(number + 1);
      FunctionSums& sums = functions[number];
      if (sums.lengths.empty()) {
        sums.place = place;
        sums.place.wait = purpose;
      }
      sums.lengths.push_back(wait.length());
      add_holders(wait, sums);
      if (!wait.has_end || !switches_.has_wakeups) continue;
      const u32 by = WaitNames::ender_of(wait);
      sums.wakers[by] += wait.length();
      const WaitPlace& waker = names_.place_of_ender(wait);
      waits::WakerRow& row =
          wakers[u64{accounting_.threads[wait.thread].thread} << 32 | by][u64{place.group} << 32 | waker.group];
      if (row.count == 0) {
        row.function = place.function;
        row.caller = place.caller;
        row.waker_function = waker.function;
        row.waker_caller = waker.caller;
      }
      ++row.count;
      row.waited += wait.length();
      if (by != stacks::kUnknown) row.latency = row.latency.value_or(0) + wait.latency();
    }
    for (FunctionSums& sums : functions) {
      if (!sums.lengths.empty()) add_function(sums);
    }
    std::stable_sort(out_.functions.begin(), out_.functions.end(),
                     [](const waits::FunctionRow& a, const waits::FunctionRow& b) { return a.total > b.total; });
    for (auto& [key, rows] : wakers) {
      for (auto& [groups, row] : rows) {
        row.waiter = names_.text_of(static_cast<u32>(key >> 32));
        row.waker = names_.text_of(static_cast<u32>(key));
        out_.wakers.push_back(std::move(row));
      }
    }
    std::sort(out_.wakers.begin(), out_.wakers.end(), [](const waits::WakerRow& a, const waits::WakerRow& b) {
      return std::tie(b.waited, a.waiter, a.waker, a.function, a.waker_function) <
             std::tie(a.waited, b.waiter, b.waker, b.function, b.waker_function);
    });
  }

  void add_function(FunctionSums& sums) {
    const WaitPlace& place = sums.place;
    std::vector<u64>& lengths = sums.lengths;
    waits::FunctionRow row{.function = std::string(place.function),
                           .module = std::string(place.module),
                           .caller = std::string(place.caller),
                           .caller_module = std::string(place.caller_module),
                           .wait = place.wait,
                           .count = lengths.size(),
                           .median = at_share(lengths, 50),
                           .most_of_99_percent = at_share(lengths, 99),
                           .longest = *std::max_element(lengths.begin(), lengths.end()),
                           .waker = {}};
    for (const u64 length : lengths) row.total += length;
    const auto has_less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(sums.wakers.begin(), sums.wakers.end(), has_less);
    if (most != sums.wakers.end()) row.waker = names_.text_of(most->first);
    const auto holder = std::max_element(sums.holders.begin(), sums.holders.end(), has_less);
    if (holder != sums.holders.end()) {
      const auto& [thread, group] = holder->first;
      // Without --python only the interpreter's function that released the lock is known.
      const WaitPlace& there = holding_places_.at(group);
      const std::string_view module = there.caller.empty() ? there.module : there.caller_module;
      if (!stacks::is_python_interpreter(module)) row.holder = there.shown();
      row.holder_thread = names_.text_of(thread);
      row.held_ns = holder->second;
    }
    out_.functions.push_back(std::move(row));
  }

  // Is the wait too short to be listed? Counts the waits that are left out.
  bool is_left_out(const waits::Wait& wait) {
    if (wait.length() >= selection_.min_ns) return false;
    ++out_.left_out.count;
    out_.left_out.time += wait.length();
    return true;
  }

  // The smallest length that at least this percentage of waits does not exceed. Changes the order of `lengths`.
  static u64 at_share(std::vector<u64>& lengths, usize percent) {
    const auto there = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() * percent + 99) / 100 - 1);
    std::nth_element(lengths.begin(), there, lengths.end());
    return *there;
  }

  // While a thread is ready, the core that it finally comes to runs other threads.
  void add_starved() {
    std::unordered_set<u32> wanted;
    for (usize i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i]) wanted.insert(accounting_.threads[i].thread);
    }
    constexpr u64 kNotReady = ~u64{0};
    std::unordered_map<u32, u64> ready;  // by thread: the time at which it became ready, or kNotReady
    struct Run {
      u32 thread = stacks::kNobody;
      u64 since = 0;
    };
    std::vector<std::vector<Run>> runs(accounting_.cores.size());
    const stacks::UnrecordedTimes dark(switches_.unrecorded, accounting_.begin, accounting_.end);
    std::unordered_map<u64, Starved> rows;  // by the threads that were ready and that ran
    for (const stacks::Switch& event : switches_.switches) {
      if (event.kind == stacks::Kind::renamed) continue;
      if (event.kind != stacks::Kind::switched) {
        if (event.comes == stacks::kNobody) continue;
        u64& since = ready.try_emplace(event.comes, kNotReady).first->second;
        since = std::min(since, event.time);
        continue;
      }
      if (event.leaves != stacks::kIdleThread)
        ready[event.leaves] = event.leaving == stacks::Leaving::preempted ? event.time : kNotReady;
      std::vector<Run>& core = runs[event.core];
      if (const auto waiting = ready.find(event.comes); waiting != ready.end() && waiting->second != kNotReady) {
        if (wanted.contains(event.comes)) {
          // Counts only from the time when all cores are recorded again; before that, it is unknown which threads were
          // ready or ran.
          const bool is_unrecorded = dark.any(waiting->second, event.time);
          add_runs(core, event.comes, is_unrecorded ? dark.last_end(event.time) : waiting->second, event.time, rows);
        }
        waiting->second = kNotReady;
      }
      constexpr usize kRemembered = 1024;
      if (core.size() == kRemembered) core.erase(core.begin(), core.begin() + kRemembered / 2);
      core.push_back({event.comes, event.time});
    }
    std::vector<std::pair<u64, Starved>> ordered(rows.begin(), rows.end());
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.time, a.first) < std::tie(a.second.time, b.first);
    });
    for (const auto& [threads, sums] : ordered) {
      out_.starved.push_back({.ready = names_.text_of(static_cast<u32>(threads >> 32)),
                              .ran = names_.text_of(static_cast<u32>(threads)),
                              .time = sums.time,
                              .times = sums.times});
    }
  }

  struct Starved {
    u64 time = 0, times = 0;
  };
  template <class Runs, class Rows>
  void add_runs(const Runs& core, u32 thread, u64 begin, u64 end, Rows& rows) const {
    u64 until = end;
    for (auto run = core.rbegin(); run != core.rend() && until > begin; ++run) {
      const u64 from = std::max(run->since, begin);
      if (run->thread != stacks::kIdleThread && run->thread != stacks::kNobody && run->thread != thread &&
          until > from) {
        Starved& row = rows[u64{thread} << 32 | run->thread];
        row.time += until - from;
        ++row.times;
      }
      until = from;
    }
  }

  void add_timeline() {
    const u32 wanted = first_thread(accounting_, switches_, chosen_);
    if (wanted == chosen_.size()) return;
    out_.has_others = std::count(chosen_.begin(), chosen_.end(), true) > 1;
    out_.timeline_of = names_.text_of(accounting_.threads[wanted].thread);
    waits::account(switches_.switches, switches_.unrecorded, accounting_.begin, accounting_.end,
                   [&](const waits::Stretch& stretch) {
                     const u64 from = stretch.begin - accounting_.begin, to = stretch.end - accounting_.begin;
                     if (stretch.thread != wanted || to < selection_.from || from > selection_.to) return;
                     if (to - from < selection_.min_ns) {
                       ++out_.left_out.count;
                       out_.left_out.time += to - from;
                       return;
                     }
                     add_stretch(stretch);
                   });
  }

  void add_stretch(const waits::Stretch& stretch) {
    waits::StretchRow row{.state = stretch.state,
                          .preempted = stretch.preempted,
                          .from = stretch.begin - accounting_.begin,
                          .length = stretch.end - stretch.begin,
                          .core = stretch.core,
                          .function = {},
                          .caller = {},
                          .waker = {},
                          .waker_function = {}};
    if (stretch.wait < accounting_.waits.size()) {
      const waits::Wait& wait = accounting_.waits[stretch.wait];
      if (stretch.state == waits::State::waiting) {
        const WaitPlace place = names_.place_of(wait);
        row.function = place.function;
        row.caller = place.caller;
        row.lock = switches_.has_arguments ? locks_.text_of(locks_.lock_of(wait)) : std::string();
        row.wait = place.wait;
        if (switches_.has_windows_reasons) row.reason = waits::reason_name(wait.reason);
        row.has_end = wait.has_end;
        if (wait.waker != stacks::kUnknown) row.wake_to_run = wait.latency();
        if (wait.has_end && switches_.has_wakeups) {
          row.waker = names_.text_of(wait.waker);
          const bool by_thread = wait.waker != stacks::kNobody && wait.waker != stacks::kUnknown;
          if (by_thread) row.waker_function = names_.place_of_sample(wait.wake_sample).function;
        }
      }
    }
    out_.timeline.push_back(std::move(row));
  }

  const waits::Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  WaitNames& names_;
  const WaitLocks& locks_;
  const WaitSelection& selection_;
  const std::vector<bool> chosen_;  // by thread of the accounting
  LockHolders holders_;
  std::map<u32, WaitPlace> holding_places_;  // by group
  waits::WaitReport out_;
};

}  // namespace

waits::WaitReport build_wait_report(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                    WaitNames& names, const WaitLocks& locks, const WaitSelection& selection) {
  return Builder(accounting, switches, names, locks, selection).build();
}

}  // namespace wperf::waits
