// SPDX-License-Identifier: BSD-3-Clause
// A hash table from two numbers to a value, in one block of memory: millions of look-ups a second. Made for tally.h.
// Entries stay where they are until the next new key.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::decode::spe {

template <class Value>
class FlatTable {
 public:
  struct Slot {
    u64 first = 0, second = 0;  // second 0: free
    Value value{};
  };

  usize size() const { return size_; }
  usize bytes() const { return slots_.size() * sizeof(Slot); }

  // The value of the key, a fresh one if it is new. `second` is not 0.
  Value& at(u64 first, u64 second) {
    if (slots_.empty()) slots_.resize(kFirstSlots);
    Slot* slot = &find(first, second);
    if (slot->second == 0) {
      if ((size_ + 1) * 2 > slots_.size()) {
        grow();
        slot = &find(first, second);
      }
      slot->first = first;
      slot->second = second;
      ++size_;
    }
    return slot->value;
  }
  // Begins to bring the slot of a key that at() will be asked for soon.
  void prefetch(u64 first, u64 second) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash(first, second) & (slots_.size() - 1)], 1);
  }
  // Null: not there.
  Value* find_value(u64 first, u64 second) {
    if (slots_.empty()) return nullptr;
    Slot& slot = find(first, second);
    return slot.second != 0 ? &slot.value : nullptr;
  }

  // callback(const Slot&), in no order that means anything.
  template <class Callback>
  void for_each(Callback&& callback) const {
    for (const Slot& slot : slots_) {
      if (slot.second != 0) callback(slot);
    }
  }

  // Forgets the entries that keep(const Slot&) does not want.
  template <class Keep>
  void retain(Keep&& keep) {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.size(), Slot{});
    size_ = 0;
    for (Slot& slot : old) {
      if (slot.second != 0 && keep(slot)) place(std::move(slot));
    }
  }

 private:
  static constexpr usize kFirstSlots = 256;

  static u64 hash(u64 first, u64 second) {
    u64 mixed = (first ^ (second * 0xff51'afd7'ed55'8ccdU)) * 0x9e37'79b9'7f4a'7c15U;
    mixed ^= mixed >> 32;
    return mixed * 0xc4ce'b9fe'1a85'ec53U >> 16;
  }
  Slot& find(u64 first, u64 second) {
    const usize mask = slots_.size() - 1;
    usize at = hash(first, second) & mask;
    while (slots_[at].second != 0 && (slots_[at].first != first || slots_[at].second != second)) at = (at + 1) & mask;
    return slots_[at];
  }
  void place(Slot&& slot) {
    find(slot.first, slot.second) = std::move(slot);
    ++size_;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.size() * 2, Slot{});
    size_ = 0;
    for (Slot& slot : old) {
      if (slot.second != 0) place(std::move(slot));
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half of it used
  usize size_ = 0;
};

// Counts how often keys come. A table that is greater than the caches makes every key wait for memory; here a key waits
// for its slot while others come.
class DelayedCounts {
 public:
  void add(u64 first, u64 second) {
    table_.prefetch(first, second);
    waiting_[count_++] = {.first = first, .second = second};
    if (count_ == kMost) settle();
  }
  void add(u64 first, u64 second, u64 hits) { table_.at(first, second) += hits; }
  const FlatTable<u64>& table() const {
    settle();
    return table_;
  }

 private:
  static constexpr usize kMost = 64;
  struct Key {
    u64 first, second;
  };

  void settle() const {
    for (usize i = 0; i < count_; ++i) ++table_.at(waiting_[i].first, waiting_[i].second);
    count_ = 0;
  }

  mutable FlatTable<u64> table_;
  mutable std::array<Key, kMost> waiting_{};
  mutable usize count_ = 0;
};

}  // namespace wperf::decode::spe
