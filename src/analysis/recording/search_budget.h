// SPDX-License-Identifier: BSD-3-Clause
// Limits the reading in searches that cannot be delayed: over a longer time, reads take about 1 % of the time.
#pragma once
#include <algorithm>

#include "base/ints.h"

namespace wperf::recording {

class SearchBudget {
 public:
  bool allows_one(u64 now_ns) const { return paid_until_ns_ <= now_ns; }
  // Called after each search.
  void pay(u64 now_ns, u64 reads) {
    constexpr u64 kMostSaved = 512 * kNsForRead;
    paid_until_ns_ = std::max(paid_until_ns_, now_ns - std::min(now_ns, kMostSaved)) + reads * kNsForRead;
  }

 private:
  static constexpr u64 kNsForRead = 200'000;  // a hundred times as long as a read takes
  u64 paid_until_ns_ = 0;
};

}  // namespace wperf::recording
