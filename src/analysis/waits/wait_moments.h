// SPDX-License-Identifier: BSD-3-Clause
// Each wait of the chosen threads with names, for pages, which sum up those of a stretch of time. Made by commands,
// written by html.
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
  u32 wait = 0;            // of the accounting
  u32 task = 0, node = 0;  // in the profile of threads' time
  u32 place = 0;           // where it waited
  u32 lock = kNone;        // kNone: it was for none
  u32 ender = kNone;       // who ended it; kNone: it lasts on, or nobody knows of any
  u32 ender_place = 0;     // where that one was
};

struct NamedPlace {
  std::string function, module;  // empty: nobody knows
  WaitClass wait = WaitClass::unexplained;
  std::string caller = {}, caller_module = {};  // the program's own function; empty: none is known
  u32 group = 0;                                // of places that differ in `wait` alone
};

struct WaitMoments {
  std::vector<std::string> people;  // "name (tid)", by number of the thread
  std::vector<NamedPlace> places;
  std::vector<std::string> locks;  // empty: nobody recorded which lock a wait was for
  std::vector<WaitMoment> waits;   // by begin
};

}  // namespace wperf::waits
