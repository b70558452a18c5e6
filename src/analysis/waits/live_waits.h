// SPDX-License-Identifier: BSD-3-Clause
// Waits in stretches of time that follow each other: a wait that lasts on counts in each of them for the part that is
// in it, with the place where it began. Pure. Called by commands for `top`.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/waits/wait_classes.h"
#include "model/stacks/switches.h"

namespace wperf::waits {

inline constexpr u32 kNoPlace = ~u32{0};

// What one wait has of a stretch.
struct WaitPart {
  u32 thread = 0;
  u32 sample = stacks::kNoSample;  // of this stretch: where it waits
  u32 place = kNoPlace;            // of who called: as kept for one that lasted on from the stretch before
  u8 reason = stacks::kNoReason;
  u64 length = 0;       // nanoseconds within the stretch
  bool begins = false;  // in this stretch
  bool lasts = false;   // behind it
};

class LiveWaits {
 public:
  // `switches`: by time; what came late counts from the beginning on. Waits that have lasted since a stretch before
  // are parts of this one though nothing was told of them.
  std::vector<WaitPart> take(const std::vector<stacks::Switch>& switches, u64 begin, u64 end);
  // Those of the last stretch, with their places: where they last on they are known in the next.
  void keep(const std::vector<WaitPart>& parts);
  // Something was not told: nobody knows any more who waits.
  void forget() { lasting_.clear(); }

 private:
  std::unordered_map<u32, u32> lasting_;  // thread → place
};

// All waits of one stretch in one function.
struct WaitedIn {
  std::string function, module;  // empty: nobody knows
  WaitClass wait = WaitClass::unexplained;
  u64 begun = 0;   // waits that began in it
  u64 waited = 0;  // nanoseconds, of all threads together
};

}  // namespace wperf::waits
