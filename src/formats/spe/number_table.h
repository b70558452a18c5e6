// SPDX-License-Identifier: BSD-3-Clause
// Gives each key a number: 0 for the first key, 1 for the next new key, and so on. The caller keeps the values of keys
// in columns, by number. Made for aggregator.h.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::spe {

// A list that grows in blocks, so growing moves no element and wastes at most one block. Made for aggregator.h.
template <class Value>
class Column {
 public:
  usize size() const { return size_; }
  usize bytes() const { return blocks_.size() * kBlock * sizeof(Value); }
  Value& operator[](usize at) { return blocks_[at / kBlock][at % kBlock]; }
  const Value& operator[](usize at) const { return blocks_[at / kBlock][at % kBlock]; }
  Value& add(const Value& value) {
    if (size_ % kBlock == 0) blocks_.emplace_back().resize(kBlock);
    return (*this)[size_++] = value;
  }

 private:
  static constexpr usize kBlock = 256;

  std::vector<std::vector<Value>> blocks_;
  usize size_ = 0;
};

// Spreads keys that differ in only a few bits over 32 bits.
constexpr u32 hash_of_key(u64 key) {
  u64 mixed = key * 0x9e37'79b9'7f4a'7c15U;
  mixed ^= mixed >> 32;
  return static_cast<u32>(mixed * 0xc4ce'b9fe'1a85'ec53U >> 32);
}

class NumberTable {
 public:
  static constexpr u32 kNone = ~u32{0};

  u32 size() const { return static_cast<u32>(keys_.size()); }
  u64 key(u32 number) const { return keys_[number]; }
  usize bytes() const { return keys_.bytes() + slots_.size() * sizeof(Slot); }

  // Returns the number of the key; a new key gets a new number.
  u32 at(u64 key) {
    if ((keys_.size() + 1) * 4 > slots_.size() * 3) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.number == kNone) {
      slot = {.key = key, .number = size()};
      keys_.add(key);
    }
    return slot.number;
  }
  void prefetch(u64 key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash_of_key(key) & (slots_.size() - 1)], 1);
  }
  // Returns kNone if the key is not there.
  u32 find(u64 key) const { return slots_.empty() ? kNone : slots_[place_of(key)].number; }

 private:
  static constexpr usize kFirstSlots = 64;
  struct Slot {  // contains the key, so that a look-up waits for memory only once
    u64 key = 0;
    u32 number = kNone;
  };

  usize place_of(u64 key) const {
    const usize mask = slots_.size() - 1;
    usize at = hash_of_key(key) & mask;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    const usize count = slots_.empty() ? kFirstSlots : slots_.size() * 2;
    slots_ = std::vector<Slot>(count);
    for (u32 number = 0; number < size(); ++number) {
      slots_[place_of(keys_[number])] = {.key = keys_[number], .number = number};
    }
  }

  Column<u64> keys_;
  std::vector<Slot> slots_;  // its size is a power of two; at most three quarters of it are used
};

// Sums by key, in one block of memory, for millions of look-ups a second. Made for aggregator.h.
class CountTable {
 public:
  usize size() const { return size_; }  // without the few pending keys: see add_one()
  usize bytes() const { return slots_.size() * sizeof(Slot); }

  // A key must not have all bits set.
  void add(u64 key, u64 count) { slot_of(key).count += count; }
  // Adds one to a key. In a table larger than the caches every key would wait for memory, so the slot is prefetched
  // while further keys are added.
  void add_one(u64 key) {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_place_of(key)], 1);
    waiting_[waits_++] = key;
    if (waits_ == kMostWaiting) settle();
  }
  // Returns null if the key is not there.
  u64* find(u64 key) {
    settle();
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[place_of(key)];
    return slot.key == kFree ? nullptr : &slot.count;
  }

  // Calls callback(key, count), in an arbitrary order.
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

  // Pending additions belong to the sums; they are made before the sums are read.
  mutable std::vector<Slot> slots_;  // its size is a power of two; at most three quarters of it are used
  mutable usize size_ = 0;
  mutable std::array<u64, kMostWaiting> waiting_{};
  mutable usize waits_ = 0;
};

}  // namespace wperf::spe
