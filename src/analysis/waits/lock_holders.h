// SPDX-License-Identifier: BSD-3-Clause
// Finds the thread that holds Python's interpreter lock (GIL) while other threads wait for it. A thread that releases
// the lock wakes a waiting thread. So while a thread waits, the lock changes hands only with a wake-up, and the thread
// that causes the wake-up held it until then. Pure.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "base/ints.h"

namespace wperf::waits {

class LockHolders {
 public:
  struct Release {
    u64 time = 0;
    u32 holder = 0, place = 0;  // the thread that released the lock, and where
  };
  // Adds a release that woke a thread. After the last one, call sort().
  void add(u32 process, const Release& release) { releases_[process].push_back(release); }
  void sort() {
    for (auto& [process, all] : releases_)
      std::stable_sort(all.begin(), all.end(), [](const Release& a, const Release& b) { return a.time < b.time; });
  }

  // Calls take(release, ns) for each holder during a wait; a holder is identified by its next release. After the last
  // release of a process, the holder is unknown.
  template <class Take>
  void during(u32 process, u64 begin, u64 end, Take&& take) const {
    const auto known = releases_.find(process);
    if (known == releases_.end()) return;
    const auto& all = known->second;
    auto next = std::upper_bound(all.begin(), all.end(), begin,
                                 [](u64 time, const Release& release) { return time < release.time; });
    for (u64 at = begin; next != all.end() && at < end; ++next) {
      const u64 until = std::min(next->time, end);
      if (until != at) take(*next, until - at);
      at = until;
    }
  }

 private:
  std::map<u32, std::vector<Release>> releases_;  // by process
};

}  // namespace wperf::waits
