// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/thread_states.h"

#include <algorithm>

#include "analysis/waits/wait_names.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::waits {
namespace {

using stacks::ThreadDoing;
using stacks::ThreadState;

class StateMaker {
 public:
  StateMaker(const Accounting& accounting, const recording::RecordedSwitches& switches, const std::vector<bool>& chosen,
             recording::RecordedSamples& recorded, bool with_unknown)
      : accounting_(accounting),
        switches_(switches),
        chosen_(chosen),
        with_unknown_(with_unknown),
        recorded_(recorded),
        profile_(recorded.profile),
        names_(switches, recorded, accounting),
        task_of_(names_, profile_) {}

  void make() {
    stacks::Moments& moments = recorded_.moments;
    moments.wait_classes.assign(kWaitClassNames.begin(), kWaitClassNames.end());
    account(switches_.switches, switches_.unrecorded, accounting_.begin, accounting_.end,
            [&](const Stretch& one) { add(one); });
    std::sort(moments.states.begin(), moments.states.end(), [](const ThreadState& a, const ThreadState& b) {
      return a.task != b.task ? a.task < b.task : a.begin_ns < b.begin_ns;
    });
    if (moments.states.empty()) return;
    if (moments.end_ns == 0) moments.begin_ns = accounting_.begin;
    moments.begin_ns = std::min(moments.begin_ns, accounting_.begin);
    moments.end_ns = std::max(moments.end_ns, accounting_.end);
  }

 private:
  void add(const Stretch& one) {
    const bool is_known = one.state != State::unknown;
    if (!chosen_[one.thread] || !(is_known || with_unknown_) || one.begin >= one.end) return;
    ThreadState state{
        .begin_ns = one.begin, .end_ns = one.end, .task = task_of_(accounting_.threads[one.thread].thread)};
    if (one.state == State::running) {
      state.core = one.core;
    } else if (!is_known) {
      state.doing = ThreadDoing::unknown;
    } else {
      state.doing = one.state == State::ready ? ThreadDoing::ready : ThreadDoing::waiting;
      if (one.wait < accounting_.waits.size()) {
        const Wait& wait = accounting_.waits[one.wait];
        state.node = node_of(wait.sample);
        if (wait.waker != stacks::kNobody && wait.waker != stacks::kUnknown && wait.waker != stacks::kIdleThread) {
          state.waker = task_of_(wait.waker);
        }
        state.wait_class = static_cast<u8>(names_.class_of(wait));
      }
    }
    recorded_.moments.states.push_back(state);
  }

  u32 node_of(u32 sample) const {
    if (!switches_.has_stacks || sample >= recorded_.row_of_sample.size()) return stacks::kNothing;
    const u32 row = recorded_.row_of_sample[sample];
    return row != stacks::StackAggregator::kNoRow ? profile_.samples[row].node : stacks::kNothing;
  }

  const Accounting& accounting_;
  const recording::RecordedSwitches& switches_;
  const std::vector<bool>& chosen_;
  const bool with_unknown_;
  recording::RecordedSamples& recorded_;
  stacks::StackProfile& profile_;
  WaitNames names_;
  ThreadTasks task_of_;
};

}  // namespace

void add_thread_states(const Accounting& accounting, const recording::RecordedSwitches& switches,
                       const std::vector<bool>& chosen, recording::RecordedSamples& recorded, bool with_unknown) {
  StateMaker(accounting, switches, chosen, recorded, with_unknown).make();
}

}  // namespace wperf::waits
