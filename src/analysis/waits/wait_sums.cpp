// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_sums.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analysis/waits/lock_holders.h"
#include "model/stacks/unrecorded.h"

namespace wperf::waits {
namespace {

class WaitCollector {
 public:
  WaitCollector(const ChosenWaits& all, const SumOptions& options, WaitNames& names, const WaitLocks& locks)
      : accounting_(all.accounting),
        switches_(all.switches),
        chosen_(all.chosen),
        options_(options),
        names_(names),
        locks_(locks) {}

  WaitSums collect() {
    out_.threads.resize(accounting_.threads.size());
    if (!options_.only_classes) collect_holders();
    for (const Wait& wait : accounting_.waits) {
      if (chosen_[wait.thread] && wait.is_known) add(wait);
    }
    return std::move(out_);
  }

 private:
  void add(const Wait& wait) {
    ThreadSums& sums = out_.threads[wait.thread];
    const WaitClass purpose = names_.class_of(wait);
    sums.by_class[static_cast<usize>(purpose)] += wait.length();
    if (options_.only_classes) return;
    if (wait.length() < options_.min_ns) {
      ++sums.left_out.count;
      sums.left_out.time += wait.length();
      return;
    }
    const WaitPlace& place = names_.place_of_sample(wait.sample);
    remember(place);
    FunctionSums& function = sums.functions[{place.group, purpose}];
    function.lengths.push_back(wait.length());
    add_holders(wait, purpose, function);
    add_lock(wait, place, sums);
    if (!switches_.has_wakeups) return;
    const u32 by = names_.ender_of(wait);
    function.wakers[by] += wait.length();
    if (by == WaitNames::kNotEnded) return;
    const WaitPlace& waker = names_.place_of_ender(wait);
    remember(waker);
    WakerSums& ended = sums.wakers[{by, place.group, waker.group}];
    ++ended.count;
    ended.waited += wait.length();
    if (by != stacks::kUnknown) ended.latency = ended.latency.value_or(0) + wait.latency();
  }

  void remember(const WaitPlace& place) {
    if (place.group >= out_.places.size()) out_.places.resize(place.group + usize{1});
    if (!out_.places[place.group].is_known) out_.places[place.group] = place;
  }

  // Returns false for waits with unrecorded periods, because a release may be missing there.
  static bool is_of_gil(const Wait& wait, WaitClass purpose) {
    return wait.is_known && wait.unknown == 0 && purpose == WaitClass::gil;
  }
  void collect_holders() {
    if (!switches_.has_wakeups) return;
    for (const Wait& wait : accounting_.waits) {
      if (!names_.has_end(wait) || !is_of_gil(wait, names_.class_of(wait))) continue;
      const u32 by = names_.ender_of(wait), process = names_.process_of(accounting_.threads[wait.thread].thread);
      if (by == stacks::kNobody || by == stacks::kUnknown || names_.process_of(by) != process) continue;
      const WaitPlace& place = names_.place_of_ender(wait);
      remember(place);
      holders_.add(process, {.time = wait.woken, .holder = by, .place = place.group});
    }
    holders_.sort();
  }
  void add_holders(const Wait& wait, WaitClass purpose, FunctionSums& sums) {
    if (!is_of_gil(wait, purpose)) return;
    const u32 waiter = accounting_.threads[wait.thread].thread;
    holders_.during(names_.process_of(waiter), wait.begin, wait.woken,
                    [&](const LockHolders::Release& release, u64 ns) {
                      if (release.holder != waiter) sums.holders[{release.holder, release.place}] += ns;
                    });
  }

  void add_lock(const Wait& wait, const WaitPlace& place, ThreadSums& sums) {
    const u32 lock = locks_.lock_of(wait);
    if (lock == WaitLocks::kNone) return;
    LockSums& one = sums.locks[lock];
    one.first = std::min(one.first, wait.begin);
    LockPlaceSums& there = one.places[place.group];
    ++there.count;
    there.total += wait.length();
    there.longest = std::max(there.longest, wait.length());
    if (switches_.has_wakeups) there.wakers[names_.ender_of(wait)] += wait.length();
  }

  const Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  const std::vector<bool>& chosen_;
  const SumOptions& options_;
  WaitNames& names_;
  const WaitLocks& locks_;
  LockHolders holders_;
  WaitSums out_;
};

// Collects the threads that ran while a thread was ready, on the core to which the thread finally came.
class StarvedCollector {
 public:
  explicit StarvedCollector(const ChosenWaits& all)
      : switches_(all.switches),
        runs_(all.accounting.cores.size()),
        dark_(all.switches.unrecorded, all.accounting.begin, all.accounting.end) {
    for (usize i = 0; i < all.chosen.size(); ++i) {
      if (all.chosen[i]) wanted_.insert(all.accounting.threads[i].thread);
    }
  }

  std::vector<StarvedSums> collect() {
    for (const stacks::Switch& event : switches_.switches) {
      if (event.kind == stacks::Kind::switched) {
        take_switch(event);
      } else if (event.kind != stacks::Kind::renamed && event.comes != stacks::kNobody) {
        u64& since = ready_.try_emplace(event.comes, kNotReady).first->second;
        since = std::min(since, event.time);
      }
    }
    std::vector<StarvedSums> ordered;
    for (const auto& [threads, sums] : rows_) ordered.push_back(sums);
    std::ranges::sort(ordered, {}, [](const StarvedSums& one) { return std::pair(one.ready, one.ran); });
    return ordered;
  }

 private:
  static constexpr u64 kNotReady = ~u64{0};
  struct Run {
    u32 thread = stacks::kNobody;
    u64 since = 0;
  };

  void take_switch(const stacks::Switch& event) {
    if (event.leaves != stacks::kIdleThread)
      ready_[event.leaves] = event.leaving == stacks::Leaving::preempted ? event.time : kNotReady;
    std::vector<Run>& core = runs_[event.core];
    if (const auto waiting = ready_.find(event.comes); waiting != ready_.end() && waiting->second != kNotReady) {
      if (wanted_.contains(event.comes)) {
        // Counts only from the time when all cores are recorded again; before that, it is unknown which threads were
        // ready or ran.
        const bool is_unrecorded = dark_.any(waiting->second, event.time);
        add_runs(core, event.comes, is_unrecorded ? dark_.last_end(event.time) : waiting->second, event.time);
      }
      waiting->second = kNotReady;
    }
    constexpr usize kRemembered = 1024;
    if (core.size() == kRemembered) core.erase(core.begin(), core.begin() + kRemembered / 2);
    core.push_back({event.comes, event.time});
  }

  void add_runs(const std::vector<Run>& core, u32 thread, u64 begin, u64 end) {
    u64 until = end;
    for (auto run = core.rbegin(); run != core.rend() && until > begin; ++run) {
      const u64 from = std::max(run->since, begin);
      if (run->thread != stacks::kIdleThread && run->thread != stacks::kNobody && run->thread != thread &&
          until > from) {
        StarvedSums& row = rows_[u64{thread} << 32 | run->thread];
        row.ready = thread;
        row.ran = run->thread;
        row.time += until - from;
        ++row.times;
      }
      until = from;
    }
  }

  const recording::RecordedSwitches& switches_;
  std::vector<std::vector<Run>> runs_;  // by core
  const stacks::UnrecordedTimes dark_;
  std::unordered_set<u32> wanted_;
  std::unordered_map<u32, u64> ready_;  // by thread: the time at which it became ready, or kNotReady
  std::unordered_map<u64, StarvedSums> rows_;
};

}  // namespace

std::string who_ended_most(const WakerTimes& wakers, const WaitNames& names) {
  const auto most =
      std::max_element(wakers.begin(), wakers.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != wakers.end() ? names.text_of(most->first) : std::string();
}

void FunctionSums::add(const FunctionSums& other) {
  lengths.insert(lengths.end(), other.lengths.begin(), other.lengths.end());
  for (const auto& [waker, time] : other.wakers) wakers[waker] += time;
  for (const auto& [holder, time] : other.holders) holders[holder] += time;
}

WaitSums sum_up_waits(const ChosenWaits& all, const SumOptions& options, WaitNames& names, const WaitLocks& locks) {
  WaitSums sums = WaitCollector(all, options, names, locks).collect();
  if (!options.only_classes && all.switches.of_whole_cores) sums.starved = StarvedCollector(all).collect();
  return sums;
}

}  // namespace wperf::waits
