// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/critical_path.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace wperf::waits {

void ThreadHistories::take(const Stretch& stretch) {
  if (stretch.thread >= timelines_.size()) timelines_.resize(stretch.thread + usize{1});
  ThreadTimeline& timeline = timelines_[stretch.thread];
  // The gap between two known periods becomes an unknown period.
  if (!timeline.moments.empty() && timeline.end < stretch.begin) timeline.moments.push_back({.begin = timeline.end});
  timeline.moments.push_back({.begin = stretch.begin,
                              .detail = stretch.state == State::running ? stretch.sample : stretch.wait,
                              .state = stretch.state,
                              .preempted = stretch.preempted});
  timeline.end = stretch.end;
}

ThreadHistories::Moment ThreadHistories::before(u32 thread, u64 time) const {
  usize place = ~usize{0};
  return before(thread, time, place);
}

ThreadHistories::Moment ThreadHistories::before(u32 thread, u64 time, usize& place) const {
  if (thread >= timelines_.size()) return {};
  const ThreadTimeline& timeline = timelines_[thread];
  if (time > timeline.end) return {.begin = timeline.end};
  const std::vector<Moment>& moments = timeline.moments;
  // The result is usually near the last one, so steps of doubling length find a short range that contains it.
  usize high = std::min(place, moments.size()), low = high;
  for (usize step = 1; low != 0 && moments[low - 1].begin >= time; step *= 2) {
    high = low - 1;
    low = high - std::min(step, high);
  }
  const auto begin = moments.begin();
  const auto after =
      std::partition_point(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high),
                           [&](const Moment& one) { return one.begin < time; });
  place = static_cast<usize>(after - begin);
  return after == begin ? Moment{} : *std::prev(after);
}

u64 ThreadHistories::first(u32 thread) const {
  return thread < timelines_.size() && !timelines_[thread].moments.empty() ? timelines_[thread].moments.front().begin
                                                                           : 0;
}
u64 ThreadHistories::last(u32 thread) const {
  return thread < timelines_.size() ? timelines_[thread].end : 0;
}

namespace {

class Walk {
 public:
  Walk(const Accounting& accounting, const ThreadHistories& histories, u64 begin, u64 end)
      : accounting_(accounting),
        histories_(histories),
        begin_(begin),
        end_(end),
        places_(accounting.threads.size(), ~usize{0}) {
    for (u32 i = 0; i < accounting.threads.size(); ++i) numbers_[accounting.threads[i].thread] = i;
    thread_starts_ = accounting.thread_starts;
    std::sort(thread_starts_.begin(), thread_starts_.end(), is_before);
  }

  std::vector<PathStep> run(u32 thread) {
    followed_.assign(1, {thread, begin_});
    now_ = end_;
    // If the thread is waiting at the end, the path begins with the later end of that wait.
    const ThreadHistories::Moment last = histories_.before(thread, end_);
    if (last.state == State::waiting && accounting_.waits[last.detail].has_end) {
      now_ = std::max(end_, accounting_.waits[last.detail].woken);
    }
    while (now_ > begin_) step();
    std::reverse(steps_.begin(), steps_.end());
    return std::move(steps_);
  }

 private:
  // A thread on the path, which is followed back to `begin`. The thread that waited for it is below it in the list.
  struct PathThread {
    u32 thread = 0;
    u64 begin = 0;
  };
  // The last action of a thread before the path left it: it woke or created the thread below it.
  struct Cause {
    u32 woke = ~u32{0}, made = ~u32{0};
    u32 sample = stacks::kNoSample;
  };

  static bool is_before(const ThreadStart& a, const ThreadStart& b) {
    return std::pair(a.thread, a.time) < std::pair(b.thread, b.time);
  }

  void step() {
    while (followed_.size() > 1 && followed_.back().begin >= now_) followed_.pop_back();
    const PathThread at = followed_.back();
    const ThreadHistories::Moment moment = histories_.before(at.thread, now_, places_[at.thread]);
    const u64 begin = std::max(at.begin, moment.begin);
    const Cause cause = std::exchange(cause_, {});
    switch (moment.state) {
      case State::running:
        return emit({.begin = begin,
                     .thread = at.thread,
                     .state = StepState::running,
                     .woke = cause.woke,
                     .made = cause.made,
                     .sample = cause.sample != stacks::kNoSample ? cause.sample : moment.detail});
      case State::ready:
        return emit({.begin = begin,
                     .thread = at.thread,
                     .state = StepState::ready,
                     .preempted = moment.preempted,
                     .wait = moment.detail});
      case State::waiting:
        return follow(at, begin, moment.detail);
      case State::unknown:
        return follow_maker(at, begin);
    }
  }

  void follow(const PathThread& at, u64 begin, u32 number) {
    const Wait& wait = accounting_.waits[number];
    PathStep waits{.begin = begin, .thread = at.thread, .state = StepState::unknown, .wait = number};
    // A wait that ends after the current position of the path, or never, cannot be followed.
    if (!wait.has_end || !wait.is_known || wait.waker == stacks::kUnknown || wait.woken > now_) return emit(waits);
    if (wait.waker == stacks::kNobody || wait.waker == stacks::kIdleThread) {
      waits.state = StepState::interrupted;
      return emit(waits);
    }
    const auto waker = numbers_.find(wait.waker);
    if (waker == numbers_.end() || waker->second == at.thread || !may_go_on()) return emit(waits);
    followed_.push_back({waker->second, begin});
    cause_ = {.woke = number, .sample = wait.wake_sample};
  }

  // Before the thread existed, the path follows its creator.
  void follow_maker(const PathThread& at, u64 begin) {
    const auto start = std::lower_bound(thread_starts_.begin(), thread_starts_.end(),
                                        ThreadStart{.thread = at.thread, .time = now_}, is_before);
    if (start != thread_starts_.end() && start->thread == at.thread && start->time == now_) {
      const auto maker = numbers_.find(start->maker);
      if (maker != numbers_.end() && maker->second != at.thread && may_go_on()) {
        followed_.back().thread = maker->second;
        cause_ = {.made = at.thread, .sample = start->sample};
        return;
      }
    }
    emit({.begin = begin, .thread = at.thread, .state = StepState::unknown});
  }

  // If events are contradictory, threads may seem to wake each other endlessly at the same time.
  bool may_go_on() {
    hops_ = hops_at_ == now_ ? hops_ + 1 : 0;
    hops_at_ = now_;
    return hops_ <= accounting_.threads.size();
  }

  void emit(PathStep step) {
    const u64 until = now_;
    now_ = step.begin;
    step.end = std::min(until, end_);
    if (until > end_) step.woke = step.made = ~u32{0};  // the wake-up or creation was later
    if (step.begin < step.end) steps_.push_back(step);
  }

  const Accounting& accounting_;
  const ThreadHistories& histories_;
  const u64 begin_, end_;
  std::vector<usize> places_;             // by thread: the last answer of histories_
  std::unordered_map<u32, u32> numbers_;  // thread → index
  std::vector<ThreadStart> thread_starts_;
  std::vector<PathThread> followed_;
  std::vector<PathStep> steps_;  // in reverse order
  Cause cause_;
  u64 now_ = 0;
  u64 hops_at_ = 0;
  usize hops_ = 0;
};

}  // namespace

std::vector<PathStep> critical_path(const Accounting& accounting, const ThreadHistories& histories, u32 thread,
                                    u64 begin, u64 end) {
  if (begin >= end) return {};
  return Walk(accounting, histories, begin, end).run(thread);
}

namespace {

using waits::PathStep;
using waits::StepState;

class PathBuilder {
 public:
  PathBuilder(const waits::Accounting& accounting, WaitNames& names) : accounting_(accounting), names_(names) {}

  void add(const PathStep& step, const WaitSelection& selection) {
    const waits::PathState state = state_of(step);
    const waits::Wait* const wait = step.wait < accounting_.waits.size() ? &accounting_.waits[step.wait] : nullptr;
    const u32 group = names_.group_of_sample(sample_of(step, wait));
    const u64 length = step.end - step.begin;
    Sum& sum = sums_[{step.thread, state, group}];
    ++sum.count;
    sum.total += length;
    if (length < selection.min_ns) {
      ++out.left_out.count;
      out.left_out.time += length;
    } else if (selection.lists_steps) {
      out.steps.push_back({.state = state,
                           .from = step.begin - accounting_.begin,
                           .length = length,
                           .thread = text_of(step.thread),
                           .function = std::string(names_.function_of_group(group)),
                           .ended_by = end_of(step, wait)});
    }
  }

  void finish() {
    std::map<std::tuple<std::string, waits::PathState, std::string_view>, waits::PathSum> sums;
    for (const auto& [key, one] : sums_) {
      const auto& [number, state, group] = key;
      std::string thread = text_of(number);
      const std::string_view function = names_.function_of_group(group);
      waits::PathSum& sum = sums[{thread, state, function}];
      sum.state = state;
      sum.thread = std::move(thread);
      sum.function = function;
      sum.count += one.count;
      sum.total += one.total;
    }
    for (auto& [key, sum] : sums) out.sums.push_back(std::move(sum));
    std::sort(out.sums.begin(), out.sums.end(), [](const waits::PathSum& a, const waits::PathSum& b) {
      return std::tie(b.total, a.thread, a.state, a.function) < std::tie(a.total, b.thread, b.state, b.function);
    });
  }

  waits::PathReport out;

 private:
  struct Sum {
    u64 count = 0, total = 0;
  };

  std::string text_of(u32 thread) const { return names_.text_of(accounting_.threads[thread].thread); }

  // Returns the sample with the place of the thread, or kNoSample.
  static u32 sample_of(const PathStep& step, const waits::Wait* wait) {
    if (step.state == StepState::running) return step.sample;
    return wait != nullptr && step.state != StepState::ready ? wait->sample : stacks::kNoSample;
  }

  std::string end_of(const PathStep& step, const waits::Wait* wait) const {
    switch (step.state) {
      case StepState::running:
        if (step.woke < accounting_.waits.size()) return "waking " + text_of(accounting_.waits[step.woke].thread);
        return step.made < accounting_.threads.size() ? "creating " + text_of(step.made) : std::string();
      case StepState::ready:
        return "being scheduled";
      case StepState::interrupted:
      case StepState::unknown:
        break;
    }
    if (wait == nullptr) return {};
    return wait->has_end ? names_.text_of(wait->waker) : "nothing: the wait did not end";
  }

  waits::PathState state_of(const PathStep& step) {
    switch (step.state) {
      case StepState::running:
        return waits::PathState::running;
      case StepState::ready:
        return step.preempted ? waits::PathState::preempted : waits::PathState::ready;
      case StepState::interrupted: {
        const waits::Wait& wait = accounting_.waits[step.wait];
        const bool timer =
            names_.place_of_sample(wait.wake_sample).by_timer || names_.class_of(wait) == waits::WaitClass::timer;
        return timer ? waits::PathState::timer : waits::PathState::device;
      }
      case StepState::unknown:
        break;
    }
    return waits::PathState::unknown;
  }

  const waits::Accounting& accounting_;
  WaitNames& names_;
  std::map<std::tuple<u32, waits::PathState, u32>, Sum> sums_;  // by thread, state and group of the place
};

}  // namespace

ThreadHistories histories_of(const waits::Accounting& accounting, const recording::RecordedSwitches& switches) {
  ThreadHistories histories;
  waits::account(switches.switches, switches.unrecorded, accounting.begin, accounting.end,
                 [&](const waits::Stretch& stretch) { histories.take(stretch); });
  return histories;
}

std::optional<waits::PathReport> build_critical_path(const waits::Accounting& accounting,
                                                     const recording::RecordedSwitches& switches,
                                                     const ThreadHistories& histories, WaitNames& names,
                                                     const WaitSelection& selection) {
  const u32 thread = first_thread(accounting, switches, chosen_threads(accounting, switches, selection));
  if (thread == accounting.threads.size()) return std::nullopt;
  if (histories.last(thread) == 0) return std::nullopt;
  const auto moment = [&](u64 time) {
    return std::clamp(accounting.begin + std::min(time, accounting.end - accounting.begin), histories.first(thread),
                      histories.last(thread));
  };
  const u64 begin = moment(selection.from), end = moment(selection.to);
  PathBuilder builder(accounting, names);
  builder.out.left_out.min = selection.min_ns;
  builder.out.of = names.text_of(accounting.threads[thread].thread);
  builder.out.from = begin - accounting.begin;
  builder.out.length = end - begin;
  for (const PathStep& step : waits::critical_path(accounting, histories, thread, begin, end)) {
    builder.add(step, selection);
  }
  builder.finish();
  return std::move(builder.out);
}

}  // namespace wperf::waits
