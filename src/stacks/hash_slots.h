// SPDX-License-Identifier: BSD-3-Clause
// Hashes → numbers, in one array without chains; what a number stands for, its owner keeps, and compares. Where a hash
// leads is its share of the array: what moves when that grows moves in order. Called by id_table and sample_hash.
#pragma once
#include <vector>

#include "base/ints.h"
#include "stacks/growing_array.h"

namespace wperf::stacks {

class HashSlots {
 public:
  static constexpr u32 kNone = ~u32{0};

  // The number for which `is_it` says so, of those that were added with this hash; or kNone.
  template <class IsIt>
  u32 find(u32 hash, IsIt is_it) const {
    if (slots_.empty()) return kNone;
    for (usize at = first_of(hash);; at = next_of(at)) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone || (slot.hash == hash && is_it(slot.number))) return slot.number;
    }
  }
  // One that is not there yet.
  void add(u32 hash, u32 number) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    ++count_;
    place({hash, number});
  }
  void clear() { *this = {}; }

  // Of a hash that is asked for a little later: has where it leads brought from memory, then answers which number seems
  // to be there.
  [[gnu::always_inline]] void expect(u32 hash) const {
    if (!slots_.empty()) bring_near(&slots_[first_of(hash)]);
  }
  u32 expected(u32 hash) const { return slots_.empty() ? kNone : slots_[first_of(hash)].number; }

 private:
  struct Slot {
    u32 hash = 0, number = kNone;
  };
  usize first_of(u32 hash) const { return static_cast<usize>((u64{hash} * slots_.size()) >> 32); }
  usize next_of(usize at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
  void place(const Slot& slot) {
    usize at = first_of(slot.hash);
    while (slots_[at].number != kNone) at = next_of(at);
    slots_[at] = slot;
  }
  void grow() {
    constexpr usize kFirst = 64;
    std::vector<Slot> old(slots_.empty() ? kFirst : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;
  usize count_ = 0;
};

}  // namespace wperf::stacks
