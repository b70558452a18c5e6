// SPDX-License-Identifier: BSD-3-Clause
// Sums by key, in one block of memory: millions of look-ups a second. Made for aggregator.h.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "formats/spe/number_table.h"

namespace wperf::spe {

class CountTable {
 public:
  usize size() const { return size_; }  // without the few that wait: see add_one()
  usize bytes() const { return slots_.size() * sizeof(Slot); }

  // A key is never all ones.
  void add(u64 key, u64 count) { slot_of(key).count += count; }
  // One more of a key. In a table larger than the caches, every key would wait for memory; here the slot is prefetched
  // while other keys come.
  void add_one(u64 key) {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_place_of(key)], 1);
    waiting_[waits_++] = key;
    if (waits_ == kMostWaiting) settle();
  }
  // Null: not there.
  u64* find(u64 key) {
    settle();
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[place_of(key)];
    return slot.key == kFree ? nullptr : &slot.count;
  }

  // callback(key, count), in no order that means anything.
  template <class Callback>
  void for_each(Callback&& callback) const {
    settle();
    for (const Slot& slot : slots_) {
      if (slot.key != kFree) callback(slot.key, slot.count);
    }
  }

 private:
  static constexpr u64 kFree = ~u64{0};
  static constexpr usize kFirstSlots = 64, kMostWaiting = 64;
  struct Slot {
    u64 key = kFree, count = 0;
  };

  usize first_place_of(u64 key) const { return hash_of_key(key) & (slots_.size() - 1); }
  usize place_of(u64 key) const {
    usize at = first_place_of(key);
    while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  Slot& slot_of(u64 key) const {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.key == kFree) {
      slot.key = key;
      ++size_;
    }
    return slot;
  }
  void grow() const {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? kFirstSlots : old.size() * 2);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slots_[place_of(slot.key)] = slot;
    }
  }
  void settle() const {
    for (usize i = 0; i < waits_; ++i) ++slot_of(waiting_[i]).count;
    waits_ = 0;
  }

  // Waiting additions belong to the sums already: looking at the sums adds them first.
  mutable std::vector<Slot> slots_;  // a power of two of them, at most three quarters of it used
  mutable usize size_ = 0;
  mutable std::array<u64, kMostWaiting> waiting_{};
  mutable usize waits_ = 0;
};

}  // namespace wperf::spe
