// SPDX-License-Identifier: BSD-3-Clause
// Maps pairs of numbers to small numbers, in order of insertion. It does not allocate for each entry, because every
// frame of every new stack is looked up.
#pragma once
#include "base/ints.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/hash_slots.h"

namespace wperf::stacks {

template <class Number>
class IdTableOf {
 public:
  static constexpr u32 kNone = HashSlots::kNone;

  struct Found {
    u32 id;
    bool is_new;
  };
  Found insert(Number first, Number second) { return insert(first, second, hash_of(first, second)); }
  u32 find(Number first, Number second) const { return find(first, second, hash_of(first, second)); }

  // For a caller that knows a pair some time before inserting it: one function prefetches the slot of the hash, another
  // function prefetches the key found in the slot.
  static u32 hash_of(Number first, Number second) {
    // The upper bits of a product depend on all lower bits.
    constexpr u64 kFirst = 0xbf58'476d'1ce4'e5b9, kSecond = 0x94d0'49bb'1331'11eb;
    if constexpr (sizeof(Number) == sizeof(u32))
      return static_cast<u32>((((u64{first} << 32) | second) * kFirst) >> 32);
    const u64 mixed = (u64{first} + 1) * kFirst;
    return static_cast<u32>(((mixed ^ (mixed >> 32) ^ second) * kSecond) >> 32);
  }
  [[gnu::always_inline]] void expect(u32 hash) const { slots_.expect(hash); }
  [[gnu::always_inline]] void expect_key(u32 hash) const {
    const u32 id = slots_.expected(hash);
    if (id != kNone) bring_near(&keys_[id]);
  }
  Found insert(Number first, Number second, u32 hash) {
    const u32 known = find(first, second, hash);
    if (known != kNone) return {known, false};
    const u32 id = size();
    keys_.push_back({first, second});
    slots_.add(hash, id);
    return {id, true};
  }

  // After this call, the pair of a number can still be read, but no number can be looked up.
  void forget_slots() { slots_.clear(); }
  u32 size() const { return static_cast<u32>(keys_.size()); }
  Number first(u32 id) const { return keys_[id].first; }
  Number second(u32 id) const { return keys_[id].second; }

 private:
  struct Key {
    Number first, second;
  };
  u32 find(Number first, Number second, u32 hash) const {
    return slots_.find(hash, [&](u32 id) { return keys_[id].first == first && keys_[id].second == second; });
  }

  GrowingArray<Key> keys_;
  HashSlots slots_;
};

using IdTable = IdTableOf<u64>;
using SmallIdTable = IdTableOf<u32>;

}  // namespace wperf::stacks
