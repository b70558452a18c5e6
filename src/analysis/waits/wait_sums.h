// SPDX-License-Identifier: BSD-3-Clause
// Sums of waits by thread. The tables of `waits` for any choice of threads are added up from these sums, so that a
// further report about a recording does not need each wait again.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/waits/wait_classes.h"
#include "analysis/waits/wait_locks.h"
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"
#include "base/ints.h"

namespace wperf::waits {

// Waiting time, keyed by the thread that ended the waits.
using WakerTimes = std::map<u32, u64>;
// The waker with the longest total time; the first such waker if times are equal. Empty if there is no waker.
std::string who_ended_most(const WakerTimes& wakers, const WaitNames& names);

// The waits in one function for one purpose.
struct FunctionSums {
  std::vector<u64> lengths;
  WakerTimes wakers;
  std::map<std::pair<u32, u32>, u64> holders;  // of the GIL; keyed by thread and group of the place

  void add(const FunctionSums& other);
};
struct FunctionKey {
  u32 group = 0;  // of the place
  WaitClass purpose = WaitClass::unexplained;

  auto operator<=>(const FunctionKey&) const = default;
};

// The waits in one place that one thread ended from one place.
struct WakerSums {
  u64 count = 0, waited = 0;
  std::optional<u64> latency;  // as in WakerRow
};
struct WakerKey {
  u32 waker = 0;
  u32 place = 0, waker_place = 0;  // groups

  auto operator<=>(const WakerKey&) const = default;
};

// The waits for one lock.
struct LockPlaceSums {
  u64 count = 0, total = 0, longest = 0;
  WakerTimes wakers;
};
struct LockSums {
  u64 first = ~u64{0};                  // time at which the first wait began
  std::map<u32, LockPlaceSums> places;  // by group
};

struct ThreadSums {
  std::array<u64, kWaitClasses> by_class{};  // includes the waits that are left out
  OmittedRows left_out;
  std::map<FunctionKey, FunctionSums> functions;
  std::map<WakerKey, WakerSums> wakers;
  std::map<u32, LockSums> locks;  // by number of WaitLocks
};

// How long a thread ran on the core that a ready thread was waiting for.
struct StarvedSums {
  u32 ready = 0, ran = 0;  // threads
  u64 time = 0, times = 0;
};

struct WaitSums {
  std::vector<ThreadSums> threads;   // by thread of the accounting; empty for threads that are not chosen
  std::vector<WaitPlace> places;     // by group
  std::vector<StarvedSums> starved;  // ordered by threads
};

struct SumOptions {
  u64 min_ns = 0;             // shorter waits are left out
  bool only_classes = false;  // fills in only ThreadSums::by_class
};
WaitSums sum_up_waits(const ChosenWaits& all, const SumOptions& options, WaitNames& names, const WaitLocks& locks);

}  // namespace wperf::waits
