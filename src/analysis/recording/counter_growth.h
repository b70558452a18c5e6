// SPDX-License-Identifier: BSD-3-Clause
// Counters that were read with each sample (perf's leader sampling, `{a,b}:S`): the increase of each since the sample
// before.
#pragma once
#include <optional>
#include <unordered_map>

#include "formats/perf_data/sample.h"

namespace wperf::recording {

// An inherited event keeps a count for each thread, all under one id.
struct ReadCounter {
  u64 id = 0;
  u32 tid = 0;  // 0: the event is not inherited
  bool operator==(const ReadCounter&) const = default;
};

class CounterGrowth {
 public:
  // None: the count fell, which no counter does. Growth is measured from the smaller value from then on.
  std::optional<u64> note(const ReadCounter& counter, u64 value) {
    u64& before = values_[counter];
    const u64 last = before;
    before = value;
    if (value < last) return std::nullopt;
    return value - last;
  }

 private:
  struct Hash {
    usize operator()(const ReadCounter& counter) const {
      return static_cast<usize>((counter.id * 0x9e3779b97f4a7c15u) ^ (u64{counter.tid} * 0xff51afd7ed558ccdu));
    }
  };
  std::unordered_map<ReadCounter, u64, Hash> values_;
};

}  // namespace wperf::recording
