// SPDX-License-Identifier: BSD-3-Clause
// Keeps sampling from taking a core away from its programs, for any event at any rate. An interrupt creates a debt of
// time, which passing time pays off. While the debt is too great, an overflowing event doubles the number of intervals
// until its next interrupt; when the debt is paid, that number is halved. Intervals stay exact, because the sample
// stands for all of them. There is one throttle per core. It outlives the sessions, so that a client cannot get rid of
// the debt by starting again. Used on its core, in interrupts and while interrupts cannot come; valid when zeroed.
// Pure.
#pragma once
#include "base/ints.h"
#include "driver/core/sample_request.h"

namespace wperf::driver {

class Throttle {
 public:
  // Called when a session starts. If the debt is far too great, a frequent event gets so many intervals that its first
  // interrupt comes after the debt has been paid.
  void begin(u64 now_ns, const SamplePlan& plan) {
    const u64 passed = now_ns - arrived_ns_;
    const u64 debt_ns = debt_ns_ > passed ? debt_ns_ - passed : 0;
    const u64 wait_ns = debt_ns > kMostDebtAtStartNs ? debt_ns - kMostDebtAtStartNs : 0;
    for (u32 i = 0; i < plan.event_count; ++i) {
      shifts_[i] = 0;
      while ((u64{plan.intervals[i]} << shifts_[i]) < wait_ns * kUsualCountsPerNs && can_grow(i, plan.intervals[i])) {
        ++shifts_[i];
      }
    }
    least_cost_ns_ = kSecondNs / plan.most_per_second;
  }

  // Adds the time of work for earlier samples that was done outside of the interrupt.
  void charge(u64 spent_ns) {
    const u64 spent = spent_ns * kCostOfOtherTime;
    const u64 cost = spent < kMostCostNs ? spent : kMostCostNs;
    cost_ns_ += cost;
    debt_ns_ += cost;
  }

  // `arrive` and `leave` get the times at which the handler begins and ends. The handler takes at most a twelfth of the
  // core's time, and an eighth with the shell's own reads around it. The system's own work costs about as much again.
  // So a core spends less than a quarter of its time on interrupts, even if accesses to registers are slow.
  void arrive(u64 now_ns) {
    const u64 passed = now_ns - arrived_ns_;
    too_fast_ = passed < cost_ns_ && debt_ns_ > passed + kMostDebtNs;
    paid_ = passed >= debt_ns_;
    debt_ns_ = paid_ ? 0 : debt_ns_ - passed;
    arrived_ns_ = now_ns;
  }
  void leave(u64 now_ns) {
    const u64 spent = (now_ns - arrived_ns_) * kCostOfHandlerTime;
    cost_ns_ = spent < least_cost_ns_ ? least_cost_ns_ : spent < kMostCostNs ? spent : kMostCostNs;
    debt_ns_ += cost_ns_;
  }

  // The number of intervals of an event that make one interrupt, as a power of two.
  u32 shift_of(u32 event) const { return shifts_[event]; }

  // Called when the event has overflowed, in the interrupt that arrived last. A counter cannot be set further than 32
  // bits from its overflow; interrupts that far apart are no longer a burden.
  void adapt(u32 event, u32 interval) {
    u8& shift = shifts_[event];
    if (too_fast_ && can_grow(event, interval)) {
      ++shift;
    } else if (paid_ && shift != 0) {
      --shift;
    }
  }

 private:
  bool can_grow(u32 event, u32 interval) const { return (u64{interval} << shifts_[event]) <= kGreatestInterval / 2; }

  static constexpr u64 kSecondNs = 1'000'000'000;
  static constexpr u64 kCostOfHandlerTime = 12;
  static constexpr u64 kCostOfOtherTime = 8;
  static constexpr u64 kMostDebtNs = 2'000'000;               // a burst of a hundred samples is allowed
  static constexpr u64 kMostDebtAtStartNs = 2 * kMostDebtNs;  // a session in balance leaves less to the next
  // The rate of a frequent event. Repeated starts with a more frequent event raise the debt until the first interval is
  // long enough.
  static constexpr u64 kUsualCountsPerNs = 4;
  // a pause of the whole machine for a second does not count as a slow handler
  static constexpr u64 kMostCostNs = 10'000'000;
  static constexpr u64 kGreatestInterval = ~u32{0};

  u64 arrived_ns_;
  u64 least_cost_ns_;
  u64 cost_ns_;  // the cost of the previous interrupt
  u64 debt_ns_;
  bool too_fast_;
  bool paid_;
  u8 shifts_[kMaxSampleEvents];
};

}  // namespace wperf::driver
