// SPDX-License-Identifier: BSD-3-Clause
// Numbers for keys: 0 for the first key, 1 for the next new one. The caller keeps the keys' values in columns by
// number. Made for aggregator.h.
#pragma once
#include <utility>
#include <vector>

#include "base/ints.h"
#include "formats/spe/column.h"

namespace wperf::spe {

// Spreads keys that differ in few bits over 32 of them.
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

  // The number of the key, a fresh one if it is new.
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
  // kNone: not there.
  u32 find(u64 key) const { return slots_.empty() ? kNone : slots_[place_of(key)].number; }

 private:
  static constexpr usize kFirstSlots = 64;
  struct Slot {  // the key is here too: a look-up waits for memory once
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
  std::vector<Slot> slots_;  // a power of two of them, at most three quarters of it used
};

}  // namespace wperf::spe
