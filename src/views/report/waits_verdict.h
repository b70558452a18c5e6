// SPDX-License-Identifier: BSD-3-Clause
// The short answer of `waits`: what the threads did, and the largest cause of their waiting. Pure.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "analysis/waits/wait_report.h"

namespace wperf::report {

// For all threads together, in nanoseconds.
struct WaitTotals {
  u64 running = 0, ready = 0, waiting = 0, unknown = 0;
  std::array<u64, waits::kWaitClasses> by_class{};
  double wall() const { return static_cast<double>(running + ready + waiting + unknown); }
  u64 of(waits::WaitClass one) const { return by_class[static_cast<usize>(one)]; }
};
WaitTotals totals_of(const waits::WaitReport& report);

// "3 threads: running 1.2 %, …", and, if known, "most waiting: 1.136 s in 221 waits for the lock m in worker, …".
std::vector<std::string> wait_verdict(const waits::WaitReport& report);

}  // namespace wperf::report
