// SPDX-License-Identifier: BSD-3-Clause
// A set of pages, kept as ranges that neither overlap nor touch.
#pragma once
#include <algorithm>
#include <iterator>
#include <map>

#include "base/ints.h"

namespace wperf::sim::nt {

class PageRanges {
 public:
  // Returns how many bytes were not in the set before.
  u64 add(u64 begin, u64 end) {
    u64 known = 0;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin) --next;
    u64 from = begin, until = end;
    while (next != ranges_.end() && next->first <= end) {
      known += overlap(*next, begin, end);
      from = std::min(from, next->first);
      until = std::max(until, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace(from, until);
    return end - begin - known;
  }

  // Visits the parts of the set between two addresses; none if `end` is not above `begin`.
  template <class Visit>
  void for_each(u64 begin, u64 end, const Visit& visit) const {
    if (begin >= end) return;
    auto range = ranges_.upper_bound(begin);
    if (range != ranges_.begin() && std::prev(range)->second > begin) --range;
    for (; range != ranges_.end() && range->first < end; ++range)
      visit(std::max(begin, range->first), std::min(end, range->second));
  }

 private:
  static u64 overlap(const std::pair<const u64, u64>& range, u64 begin, u64 end) {
    const u64 from = std::max(range.first, begin), until = std::min(range.second, end);
    return from < until ? until - from : 0;
  }

  std::map<u64, u64> ranges_;  // begin -> end
};

}  // namespace wperf::sim::nt
