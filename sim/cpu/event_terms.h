// SPDX-License-Identifier: BSD-3-Clause
// The signals that a PMU event is the sum of. For callers that need an event's value often, and look up the terms once
// per event. Others use event_value().
#pragma once
#include <array>

#include "base/ints.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

struct EventTerms {
  u16 code = 0;
  std::array<Signal, 4> plus{};   // ends with Signal::count_
  Signal minus = Signal::count_;  // count_: unused
};

// Null when no model feeds the event.
const EventTerms* find_event(u16 code);

inline u64 value_of(const EventTerms& event, const SignalCounts& counts, Level level) {
  u64 result = 0;
  for (const Signal signal : event.plus) {
    if (signal == Signal::count_) break;
    result += counts(level, signal);
  }
  return event.minus != Signal::count_ ? result - counts(level, event.minus) : result;
}

}  // namespace wperf::sim
