// SPDX-License-Identifier: BSD-3-Clause
// Each wait of the chosen threads with names, for pages, which sum up the waits of a stretch of time.
#pragma once
#include <string>
#include <vector>

#include "analysis/waits/wait_classes.h"
#include "base/ints.h"

namespace wperf::waits {

struct WaitMoment {
  static constexpr u32 kNone = ~u32{0};

  u64 begin = 0, length = 0;
  u64 latency = 0;         // from being ready to running
  u32 wait = 0;            // index in the accounting
  u32 task = 0, node = 0;  // in the profile of threads' time
  u32 place = 0;           // the place of the wait
  u32 lock = kNone;        // kNone: no lock
  u32 ender = kNone;       // the thread that ended it; kNone: it lasts on, or that thread is unknown
  u32 ender_place = 0;     // the place of that thread
};

struct NamedPlace {
  std::string function, module;  // empty: unknown
  WaitClass wait = WaitClass::unexplained;
  std::string caller = {}, caller_module = {};  // the program's own function; empty if unknown
  u32 group = 0;                                // shared by places that differ only in `wait`
};

struct WaitMoments {
  std::vector<std::string> people;  // "name (tid)", by number of the thread
  std::vector<NamedPlace> places;
  std::vector<std::string> locks;  // empty: the recording has no locks of waits
  std::vector<WaitMoment> waits;   // by begin
};

}  // namespace wperf::waits
