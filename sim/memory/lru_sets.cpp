// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/lru_sets.h"

#include <algorithm>

namespace wperf::sim {
namespace {
constexpr u64 kEmpty = ~u64{0};
}

LruSets::LruSets(u64 entries, u32 ways)
    : ways_(std::max<u64>(1, ways)),
      set_count_(std::max<u64>(1, entries / ways_)),
      mask_((set_count_ & (set_count_ - 1)) == 0 ? set_count_ - 1 : 0),
      tags_(set_count_ * ways_, kEmpty) {}

bool LruSets::touch_older(u64* set, u64 key, bool dirty) {
  for (u64 way = 1; way < ways_; ++way) {
    if (set[way] >> 1 != key) continue;
    const u64 found = set[way] | u64{dirty};
    std::copy_backward(set, set + way, set + way + 1);
    set[0] = found;
    return true;
  }
  return false;
}

LruSets::Victim LruSets::insert(u64 key, bool dirty) {
  u64* const set = set_of(key);
  const u64 oldest = set[ways_ - 1];
  std::copy_backward(set, set + ways_ - 1, set + ways_);
  set[0] = key << 1 | u64{dirty};
  if (oldest == kEmpty) return {};
  return {oldest >> 1, true, (oldest & 1) != 0};
}

LruSets::Found LruSets::remove(u64 key) {
  u64* const set = set_of(key);
  for (u64 way = 0; way < ways_; ++way) {
    if (set[way] >> 1 != key || set[way] == kEmpty) continue;
    const Found found = (set[way] & 1) != 0 ? Found::dirty : Found::clean;
    std::copy(set + way + 1, set + ways_, set + way);
    set[ways_ - 1] = kEmpty;
    return found;
  }
  return Found::nothing;
}

LruSets::Found LruSets::clean(u64 key) {
  u64* const set = set_of(key);
  for (u64 way = 0; way < ways_; ++way) {
    if (set[way] >> 1 != key || set[way] == kEmpty) continue;
    const Found found = (set[way] & 1) != 0 ? Found::dirty : Found::clean;
    set[way] &= ~u64{1};
    return found;
  }
  return Found::nothing;
}

bool LruSets::contains(u64 key) const {
  const auto set = tags_.begin() + static_cast<std::ptrdiff_t>(set_index(key) * ways_);
  return std::any_of(set, set + static_cast<std::ptrdiff_t>(ways_), [key](u64 tag) { return tag >> 1 == key; });
}

}  // namespace wperf::sim
