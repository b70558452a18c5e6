// SPDX-License-Identifier: BSD-3-Clause
// Scales counter readings and estimates their errors. Pure arithmetic without names.
#pragma once
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"
#include "base/wide.h"
#include "model/readings/counts.h"

namespace wperf::counts {

// 128-bit arithmetic for the scaling of counts, in addition to base/wide.h.
struct WideQuotient {
  Wide quotient;
  u64 remainder = 0;
};

Wide multiply(u64 a, u64 b);
WideQuotient divide(Wide dividend, u64 divisor);  // divisor must not be 0
bool less(Wide a, Wide b);
Wide subtract(Wide a, Wide b);  // modulo 2^128
double to_double(Wide value);
u64 saturate(Wide value);  // the largest u64 if it does not fit

struct Count {
  u64 value = 0;  // as counted
  u64 slots = 0, rounds = 0;
  u64 scaled = 0;             // scaled by time: integer part of value * enabled / running; 0 if it was never on a
                              // counter
  double fraction = 1;        // the share of the time during which it was counted
  double low = 0, high = 0;   // 95 % interval of the count that an always-on counter would have
  bool has_interval = false;  // false if there were too few full slots; then low = high = scaled, without meaning
};

struct Unit {
  EventClass event_class = EventClass::core;
  u32 unit = 0;
  bool multiplexed = false;
  u64 rounds = 0;
  Count cycles;               // core class only
  std::vector<Count> counts;  // in the order of the schedule
};

std::vector<Unit> decode_counts(const readings::CountCapture& capture);

}  // namespace wperf::counts
