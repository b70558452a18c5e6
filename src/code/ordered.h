// SPDX-License-Identifier: BSD-3-Clause
// Sorts by a key. Elements with equal keys keep their order. Takes one pass if everything is sorted already, as in many
// files.
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::code {

// Radix sort from the lowest digit. A digit that is the same in all keys needs no pass. Equal keys keep their order.
template <typename Key>
void order_by_digits(std::vector<std::pair<Key, usize>>& order) {
  constexpr u32 kDigitBits = 11;
  constexpr usize kBuckets = usize{1} << kDigitBits;
  Key any = 0, all = ~Key{0};
  for (const auto& [key, place] : order) {
    any |= key;
    all &= key;
  }
  std::vector<std::pair<Key, usize>> other(order.size());
  for (u32 shift = 0; shift < sizeof(Key) * 8; shift += kDigitBits) {
    const auto digit = [&](Key key) { return static_cast<usize>(key >> shift) & (kBuckets - 1); };
    if (digit(any) == digit(all)) continue;
    std::vector<usize> begin(kBuckets + 1);
    for (const auto& [key, place] : order) ++begin[digit(key) + 1];
    for (usize i = 1; i < kBuckets; ++i) begin[i] += begin[i - 1];
    for (const auto& one : order) other[begin[digit(one.first)]++] = one;
    order.swap(other);
  }
}

// Sorts items[first, end) by `key(item)`.
template <typename T, typename Key>
void order_by(std::vector<T>& items, Key key, usize first = 0) {
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::is_sorted(begin, items.end(), [&](const T& a, const T& b) { return key(a) < key(b); })) return;
  using KeyType = decltype(key(items[0]));
  constexpr usize kMany = 512;
  std::vector<std::pair<KeyType, usize>> order;
  order.reserve(items.size() - first);
  for (usize i = first; i < items.size(); ++i) order.emplace_back(key(items[i]), i);
  if constexpr (std::is_unsigned_v<KeyType>) {
    if (order.size() >= kMany) {
      order_by_digits(order);
    } else {
      std::sort(order.begin(), order.end());
    }
  } else {
    std::sort(order.begin(), order.end());
  }
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const auto& [unused, place] : order) sorted.push_back(std::move(items[place]));
  std::move(sorted.begin(), sorted.end(), begin);
}

}  // namespace wperf::code
