// SPDX-License-Identifier: BSD-3-Clause
// Sorting by an address. Elements with the same address stay in their order, so that the first of several stays the
// first.
#pragma once
#include <algorithm>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols::pdb {

// Sorts items[first, end) by `key(item)`, a u32. Costs one pass if they are sorted already, as in most files.
template <typename T, typename Key>
void sort_by(std::vector<T>& items, Key key, usize first = 0) {
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::is_sorted(begin, items.end(), [&](const T& a, const T& b) { return key(a) < key(b); })) return;
  std::vector<u64> order;  // key, then place
  order.reserve(items.size() - first);
  for (usize i = first; i < items.size(); ++i) {
    order.push_back(u64{key(items[i])} << 32 | i);
  }
  std::sort(order.begin(), order.end());
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const u64 one : order) {
    sorted.push_back(items[one & 0xffffffff]);
  }
  std::copy(sorted.begin(), sorted.end(), begin);
}

}  // namespace wperf::symbols::pdb
