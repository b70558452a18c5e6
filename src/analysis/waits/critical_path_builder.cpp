// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/critical_path_builder.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/waits/critical_path.h"

namespace wperf::waits {
namespace {

using waits::PathStep;
using waits::StepState;

class PathBuilder {
 public:
  PathBuilder(const waits::Accounting& accounting, WaitNames& names) : accounting_(accounting), names_(names) {}

  void add(const PathStep& step, u64 min_ns) {
    waits::PathRow row{.state = state_of(step),
                       .from = step.begin - accounting_.begin,
                       .length = step.end - step.begin,
                       .thread = text_of(step.thread),
                       .function = {},
                       .ended_by = {}};
    const waits::Wait* const wait = step.wait < accounting_.waits.size() ? &accounting_.waits[step.wait] : nullptr;
    switch (step.state) {
      case StepState::running:
        row.function = names_.place_of_sample(step.sample).function;
        if (step.woke < accounting_.waits.size()) {
          row.ended_by = "waking " + text_of(accounting_.waits[step.woke].thread);
        } else if (step.made < accounting_.threads.size()) {
          row.ended_by = "creating " + text_of(step.made);
        }
        break;
      case StepState::ready:
        row.ended_by = "being scheduled";
        break;
      case StepState::interrupted:
      case StepState::unknown:
        if (wait == nullptr) break;
        row.function = names_.place_of(*wait).function;
        row.ended_by = !wait->has_end ? "nothing: the wait did not end" : names_.text_of(wait->waker);
        break;
    }
    sum_up(row);
    if (row.length >= min_ns) {
      out.steps.push_back(std::move(row));
    } else {
      ++out.left_out.count;
      out.left_out.time += row.length;
    }
  }

  void finish() {
    for (auto& [key, sum] : sums_) out.sums.push_back(std::move(sum));
    std::sort(out.sums.begin(), out.sums.end(), [](const waits::PathSum& a, const waits::PathSum& b) {
      return std::tie(b.total, a.thread, a.state, a.function) < std::tie(a.total, b.thread, b.state, b.function);
    });
  }

  waits::PathReport out;

 private:
  std::string text_of(u32 thread) const { return names_.text_of(accounting_.threads[thread].thread); }

  waits::PathState state_of(const PathStep& step) {
    switch (step.state) {
      case StepState::running:
        return waits::PathState::running;
      case StepState::ready:
        return step.preempted ? waits::PathState::preempted : waits::PathState::ready;
      case StepState::interrupted: {
        const waits::Wait& wait = accounting_.waits[step.wait];
        const bool timer =
            names_.place_of_sample(wait.wake_sample).by_timer || names_.place_of(wait).wait == waits::WaitClass::timer;
        return timer ? waits::PathState::timer : waits::PathState::device;
      }
      case StepState::unknown:
        break;
    }
    return waits::PathState::unknown;
  }

  void sum_up(const waits::PathRow& row) {
    waits::PathSum& sum = sums_[{row.thread, row.state, row.function}];
    if (sum.count == 0) {
      sum.state = row.state;
      sum.thread = row.thread;
      sum.function = row.function;
    }
    ++sum.count;
    sum.total += row.length;
  }

  const waits::Accounting& accounting_;
  WaitNames& names_;
  std::map<std::tuple<std::string, waits::PathState, std::string>, waits::PathSum> sums_;
};

}  // namespace

std::optional<waits::PathReport> build_critical_path(const waits::Accounting& accounting,
                                                     const recording::RecordedSwitches& switches, WaitNames& names,
                                                     const WaitSelection& selection) {
  const u32 thread = first_thread(accounting, switches, chosen_threads(accounting, switches, selection));
  if (thread == accounting.threads.size()) return std::nullopt;
  waits::ThreadHistories histories;
  waits::account(switches.switches, switches.unrecorded, accounting.begin, accounting.end,
                 [&](const waits::Stretch& stretch) { histories.take(stretch); });
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
    builder.add(step, selection.min_ns);
  }
  builder.finish();
  return std::move(builder.out);
}

}  // namespace wperf::waits
