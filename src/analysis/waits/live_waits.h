// SPDX-License-Identifier: BSD-3-Clause
// Waits in consecutive stretches of time: a wait that lasts longer counts in each stretch for its part there, with the
// place where it began. Pure.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/waits/wait_classes.h"
#include "model/stacks/switches.h"

namespace wperf::waits {

inline constexpr u32 kNoPlace = ~u32{0};

// The part of one wait in a stretch.
struct WaitPart {
  u32 thread = 0;
  u32 sample = stacks::kNoSample;  // the sample of this stretch with the place of the wait
  u32 place = kNoPlace;            // the callers; from the stretch before if the wait continues
  u8 reason = stacks::kNoReason;
  u64 length = 0;       // nanoseconds within the stretch
  bool begins = false;  // in this stretch
  bool lasts = false;   // beyond its end
};

class LiveWaits {
 public:
  // `switches`: by time; late ones count from the beginning on. Waits that have lasted since a stretch before are parts
  // of this one even without a switch.
  std::vector<WaitPart> take(const std::vector<stacks::Switch>& switches, u64 begin, u64 end);
  // The waits of the last stretch, with their places, for those that last on into the next one.
  void keep(const std::vector<WaitPart>& parts);
  // Records were lost, so it is unknown which threads wait.
  void forget() { lasting_.clear(); }

 private:
  std::unordered_map<u32, u32> lasting_;  // thread → place
};

// All waits of one stretch in one function.
struct WaitedIn {
  std::string function, module;  // empty: unknown
  WaitClass wait = WaitClass::unexplained;
  u64 begun = 0;   // waits that began in it
  u64 waited = 0;  // nanoseconds, of all threads together
};

}  // namespace wperf::waits
