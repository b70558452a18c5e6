// SPDX-License-Identifier: BSD-3-Clause
// Sorting by a key. What has the same key stays in its order, so that the first of several stays the first. Costs one
// pass where all is sorted already, as in many files. For elf/, dwarf/ and listed/.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

// Sorts items[first, end) by `key(item)`.
template <typename T, typename Key>
void order_by(std::vector<T>& items, Key key, usize first = 0) {
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::is_sorted(begin, items.end(), [&](const T& a, const T& b) { return key(a) < key(b); })) return;
  std::vector<std::pair<decltype(key(items[0])), usize>> order;
  order.reserve(items.size() - first);
  for (usize i = first; i < items.size(); ++i) order.emplace_back(key(items[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const auto& [unused, place] : order) sorted.push_back(std::move(items[place]));
  std::move(sorted.begin(), sorted.end(), begin);
}

}  // namespace wperf::symbols
