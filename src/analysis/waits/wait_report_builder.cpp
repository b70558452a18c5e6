// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_report_builder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "model/stacks/python_modules.h"

namespace wperf::waits {
namespace {

class Builder {
 public:
  Builder(const WaitRecording& recording, WaitNames& names, const WaitLocks& locks, const WaitSelection& selection)
      : recording_(recording),
        accounting_(recording.accounting),
        switches_(recording.switches),
        names_(names),
        locks_(locks),
        selection_(selection),
        chosen_(chosen_threads(accounting_, switches_, selection)) {}

  waits::WaitReport build() {
    out_.duration = accounting_.end - accounting_.begin;
    out_.switches = accounting_.switches;
    out_.wakeups = switches_.has_wakeups ? accounting_.wakeups : 0;
    out_.contradictions = accounting_.contradictions;
    out_.threads_in_all = accounting_.threads.size();
    const bool is_part = selection_.is_part() && !selection_.critical_path;
    if (is_part) {
      out_.from = std::min(selection_.from, out_.duration);
      out_.to = std::min(selection_.to, out_.duration);
    }
    if (switches_.of_whole_cores && !is_part) add_cost();
    const bool is_of_time = selection_.critical_path || selection_.timeline;
    const bool are_kept = recording_.sums != nullptr && (is_of_time || selection_.min_ns == 0);
    const ChosenWaits all{accounting_, switches_, chosen_};
    std::optional<WaitSums> own;
    if (!are_kept) own = sum_up_waits(all, {selection_.min_ns, is_of_time}, names_, locks_);
    const WaitSums& sums = own.has_value() ? *own : *recording_.sums;
    add_threads(sums);
    out_.left_out.min = selection_.min_ns;
    if (selection_.critical_path) {
      add_path();
    } else if (selection_.timeline) {
      add_timeline();
    } else {
      add_functions(sums);
      add_wakers(sums);
      add_locks(all, sums, names_, locks_, out_);
      if (switches_.of_whole_cores && !is_part) add_cores(sums);
    }
    return std::move(out_);
  }

 private:
  // Adds the time of the recorder, which is recorded like all other programs.
  void add_cost() {
    std::map<u32, u64> times;  // by process
    for (const waits::ThreadTimes& one : accounting_.threads) {
      if (is_recorder(switches_, one.thread)) times[names_.process_of(one.thread)] += one.running;
    }
    // If there are several recorders, it is unknown which one made this recording.
    if (times.size() == 1) out_.recorder_time = times.begin()->second;
    out_.switch_cost = switches_.switch_cost_ns;
    for (const waits::CoreTimes& core : accounting_.cores) out_.cores_time += core.busy + core.idle;
  }

  void add_threads(const WaitSums& sums) {
    for (usize i = 0; i < accounting_.threads.size(); ++i) {
      const waits::ThreadTimes& times = accounting_.threads[i];
      if (!chosen_[i] || (out_.from.has_value() && times.wall() == 0)) continue;
      out_.shown_contradictions += times.contradictions;
      out_.contradicted += times.contradicted;
      out_.threads.push_back({.name = std::string(names_.thread_name(times.thread)),
                              .process = names_.process_of(times.thread),
                              .thread = names_.number_of(times.thread),
                              .times = times,
                              .by_class = sums.threads[i].by_class});
    }
    std::stable_sort(out_.threads.begin(), out_.threads.end(),
                     [](const waits::ThreadRow& a, const waits::ThreadRow& b) {
                       return a.times.running + a.times.ready > b.times.running + b.times.ready;
                     });
  }

  void add_path() {
    std::optional<ThreadHistories> own;
    if (recording_.histories == nullptr) own = histories_of(accounting_, switches_);
    out_.path =
        build_critical_path(accounting_, switches_, own.has_value() ? *own : *recording_.histories, names_, selection_);
  }

  void add_functions(const WaitSums& sums) {
    std::map<FunctionKey, FunctionSums> functions;
    for (usize i = 0; i < sums.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      for (const auto& [key, one] : sums.threads[i].functions) functions[key].add(one);
      out_.left_out.count += sums.threads[i].left_out.count;
      out_.left_out.time += sums.threads[i].left_out.time;
    }
    for (auto& [key, one] : functions) add_function(key, one, sums.places);
    std::stable_sort(out_.functions.begin(), out_.functions.end(),
                     [](const waits::FunctionRow& a, const waits::FunctionRow& b) { return a.total > b.total; });
  }

  void add_function(const FunctionKey& key, FunctionSums& sums, const std::vector<WaitPlace>& places) {
    const WaitPlace& place = places[key.group];
    std::vector<u64>& lengths = sums.lengths;
    waits::FunctionRow row{.function = std::string(place.function),
                           .module = std::string(place.module),
                           .caller = std::string(place.caller),
                           .caller_module = std::string(place.caller_module),
                           .wait = key.purpose,
                           .count = lengths.size(),
                           .median = at_share(lengths, 50),
                           .most_of_99_percent = at_share(lengths, 99),
                           .longest = *std::max_element(lengths.begin(), lengths.end()),
                           .waker = who_ended_most(sums.wakers, names_)};
    for (const u64 length : lengths) row.total += length;
    const auto holder = std::max_element(sums.holders.begin(), sums.holders.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (holder != sums.holders.end()) {
      const auto& [thread, group] = holder->first;
      // Without --python, only the function of the interpreter that released the lock is known.
      const WaitPlace& there = places[group];
      const std::string_view module = there.caller.empty() ? there.module : there.caller_module;
      if (!stacks::is_python_interpreter(module)) row.holder = there.shown();
      row.holder_thread = names_.text_of(thread);
      row.held_ns = holder->second;
    }
    out_.functions.push_back(std::move(row));
  }

  void add_wakers(const WaitSums& sums) {
    for (usize i = 0; i < sums.threads.size(); ++i) {
      if (!chosen_[i]) continue;
      for (const auto& [key, one] : sums.threads[i].wakers) {
        const WaitPlace &place = sums.places[key.place], &waker = sums.places[key.waker_place];
        out_.wakers.push_back({.waiter = names_.text_of(accounting_.threads[i].thread),
                               .waker = names_.text_of(key.waker),
                               .function = std::string(place.function),
                               .waker_function = std::string(waker.function),
                               .caller = std::string(place.caller),
                               .waker_caller = std::string(waker.caller),
                               .count = one.count,
                               .waited = one.waited,
                               .latency = one.latency});
      }
    }
    std::sort(out_.wakers.begin(), out_.wakers.end(), [](const waits::WakerRow& a, const waits::WakerRow& b) {
      return std::tie(b.waited, a.waiter, a.waker, a.function, a.waker_function) <
             std::tie(a.waited, b.waiter, b.waker, b.function, b.waker_function);
    });
  }

  // The percentile of the lengths: at least this percentage of waits is not longer. Changes the order of `lengths`.
  static u64 at_share(std::vector<u64>& lengths, usize percent) {
    const auto there = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() * percent + 99) / 100 - 1);
    std::nth_element(lengths.begin(), there, lengths.end());
    return *there;
  }

  // Adds the threads that ran while the chosen threads were ready, and the cores.
  void add_cores(const WaitSums& sums) {
    std::unordered_set<u32> wanted;
    for (usize i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i]) wanted.insert(accounting_.threads[i].thread);
    }
    std::vector<StarvedSums> starved;
    std::ranges::copy_if(sums.starved, std::back_inserter(starved),
                         [&](const StarvedSums& one) { return wanted.contains(one.ready); });
    std::ranges::stable_sort(starved, std::ranges::greater(), &StarvedSums::time);
    for (const StarvedSums& one : starved) {
      out_.starved.push_back(
          {.ready = names_.text_of(one.ready), .ran = names_.text_of(one.ran), .time = one.time, .times = one.times});
    }
    for (u32 core = 0; core < accounting_.cores.size(); ++core) {
      if (accounting_.cores[core].switches == 0) continue;
      out_.cores.push_back({core, accounting_.cores[core]});
      if (core < switches_.interrupts.size()) out_.cores.back().interrupts = switches_.interrupts[core];
    }
  }

  void add_timeline() {
    const u32 wanted = first_thread(accounting_, switches_, chosen_);
    if (wanted == chosen_.size()) return;
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
        row.has_end = names_.has_end(wait);
        if (wait.waker != stacks::kUnknown) row.wake_to_run = wait.latency();
        if (!row.has_end && switches_.has_wakeups) row.waker = names_.text_of(WaitNames::kNotEnded);
        if (row.has_end && switches_.has_wakeups) {
          row.waker = names_.text_of(wait.waker);
          const bool by_thread = wait.waker != stacks::kNobody && wait.waker != stacks::kUnknown;
          if (by_thread) row.waker_function = names_.place_of_sample(wait.wake_sample).function;
        }
      }
    }
    out_.timeline.push_back(std::move(row));
  }

  const WaitRecording& recording_;
  const waits::Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  WaitNames& names_;
  const WaitLocks& locks_;
  const WaitSelection& selection_;
  const std::vector<bool> chosen_;  // by thread of the accounting
  waits::WaitReport out_;
};

}  // namespace

waits::WaitReport build_wait_report(const WaitRecording& recording, WaitNames& names, const WaitLocks& locks,
                                    const WaitSelection& selection) {
  return Builder(recording, names, locks, selection).build();
}

}  // namespace wperf::waits
