// SPDX-License-Identifier: BSD-3-Clause
// Divides waits among the refresh intervals of `top`. A longer wait counts in each interval with its part there, and
// keeps the place where it began. Pure.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/waits/wait_classes.h"
#include "model/stacks/switches.h"

namespace wperf::waits {

inline constexpr u32 kNoPlace = ~u32{0};

// The part of a wait in one interval.
struct WaitPart {
  u32 thread = 0;
  u32 sample = stacks::kNoSample;  // the sample in this interval with the place of the wait
  u32 place = kNoPlace;            // the callers; from the previous interval if the wait continues
  u8 reason = stacks::kNoReason;
  u64 length = 0;       // nanoseconds within the interval
  bool begins = false;  // begins in this interval
  bool lasts = false;   // lasts beyond the end of the interval
};

class LiveWaits {
 public:
  // `switches`: ordered by time; switches that arrive late count from the beginning of the interval on. Waits that
  // began in an earlier interval are included even without a switch.
  std::vector<WaitPart> take(const std::vector<stacks::Switch>& switches, u64 begin, u64 end);
  // Stores the places of the last interval's waits, for waits that continue in the next interval.
  void keep(const std::vector<WaitPart>& parts);
  // Called if records were lost, because it is then unknown which threads wait.
  void forget() { lasting_.clear(); }

 private:
  std::unordered_map<u32, u32> lasting_;  // thread → place
};

// All waits of an interval in one function.
struct FunctionWaits {
  std::string function, module;  // empty: unknown
  WaitClass wait = WaitClass::unexplained;
  u64 begun = 0;   // number of waits that began in the interval
  u64 waited = 0;  // nanoseconds of all threads together
};

}  // namespace wperf::waits
