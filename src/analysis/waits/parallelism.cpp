// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/parallelism.h"

#include <algorithm>
#include <iterator>

namespace wperf::waits {

void Parallelism::add(u64 begin, u64 end) {
  if (begin >= end) return;
  steps_.push_back({.time = begin, .change = 1});
  steps_.push_back({.time = end, .change = -1});
}

void Parallelism::finish() {
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.time < b.time; });
  u32 running = 0;
  for (usize i = 0; i < steps_.size(); ++i) {
    // At one moment leaving threads may be listed before arriving ones: only the sum of the moment counts.
    running += static_cast<u32>(steps_[i].change);  // modulo 2^32
    steps_[i].running = running;
    const u64 length = i + 1 < steps_.size() ? steps_[i + 1].time - steps_[i].time : 0;
    if (length == 0 || running == 0) continue;
    if (running > times_.size()) times_.resize(running);
    times_[running - 1] += length;
  }
}

u32 Parallelism::at(u64 time) const {
  const auto behind = std::upper_bound(steps_.begin(), steps_.end(), time,
                                       [](u64 wanted, const Step& step) { return wanted < step.time; });
  return behind == steps_.begin() ? 0 : std::prev(behind)->running;
}

}  // namespace wperf::waits
