// SPDX-License-Identifier: BSD-3-Clause
// How many threads ran at a moment. Pure.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::waits {

class Parallelism {
 public:
  // A thread ran.
  void add(u64 begin, u64 end);
  // When all are added.
  void finish();

  u32 at(u64 time) const;
  // How long one thread ran, two at once, …: nanoseconds.
  const std::vector<u64>& times() const { return times_; }

 private:
  struct Step {
    u64 time = 0;
    int change = 0;
    u32 running = 0;  // since then
  };
  std::vector<Step> steps_;  // by time, once all are added
  std::vector<u64> times_;
};

}  // namespace wperf::waits
