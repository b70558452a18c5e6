// SPDX-License-Identifier: BSD-3-Clause
// Finds the lock of each wait, on Linux. A thread that waits for a word of its memory passes the word's address to the
// kernel as the first argument of a system call, and recordings of switches include this register.
#pragma once
#include <vector>

#include "analysis/recording/recorded_data.h"
#include "analysis/waits/wait_names.h"
#include "analysis/waits/wait_report.h"

namespace wperf::waits {

// All waits of a recording, and the chosen threads.
struct ChosenWaits {
  const Accounting& accounting;
  const recording::RecordedSwitches& switches;
  const std::vector<bool>& chosen;  // by thread of the accounting
};

class WaitLocks {
 public:
  static constexpr u32 kNone = ~u32{0};         // the wait was not for a lock
  static constexpr u32 kUnknown = ~u32{0} - 1;  // the lock was not recorded

  WaitLocks() = default;
  // Finds the locks of the chosen threads' waits.
  WaitLocks(const perf_data::PerfFile& file, const ChosenWaits& all, WaitNames& names, const modules::ElfSearch& search,
            bool decorated);

  u32 lock_of(const waits::Wait& wait) const {
    return wait.sample < of_sample_.size() ? of_sample_[wait.sample] : kNone;
  }
  const std::vector<recording::DataName>& all() const { return locks_; }
  // Empty for kNone.
  std::string text_of(u32 lock) const;

 private:
  std::vector<recording::DataName> locks_;
  std::vector<u32> of_sample_;  // empty if no wait was for a lock
};

struct WaitSums;
// Adds the table of locks to the report, from the chosen threads' waits in `sums`.
void add_locks(const ChosenWaits& all, const WaitSums& sums, const WaitNames& names, const WaitLocks& locks,
               WaitReport& report);

}  // namespace wperf::waits
