// SPDX-License-Identifier: BSD-3-Clause
// Maps hashes to numbers, by open addressing. The owner keeps the keys and compares them. A hash's position in the
// array is proportional to its value, so entries keep their order when the array grows. The upper bits of the hash
// choose one of a few arrays, so that growing duplicates only a small part of the memory.
#pragma once
#include <array>
#include <memory>
#include <utility>

#include "base/ints.h"
#include "model/stacks/growing_array.h"

namespace wperf::stacks {

class HashSlots {
 public:
  static constexpr u32 kNone = ~u32{0};

  // Returns the number with this hash for which `is_it` is true; otherwise kNone.
  template <class IsIt>
  u32 find(u32 hash, IsIt is_it) const {
    const Part& part = part_of(hash);
    if (part.size == 0) return kNone;
    for (u32 at = part.first_of(hash);; at = part.next_of(at)) {
      const Slot& slot = part.slots[at];
      if (slot.number == kNone || (slot.hash == hash && is_it(slot.number))) return slot.number;
    }
  }
  // The key must not have been added before.
  void add(u32 hash, u32 number) {
    Part& part = parts_[hash >> kPartShift];
    if ((u64{part.count} + 1) * 4 > u64{part.size} * 3) part.grow();
    ++part.count;
    part.place({hash, number});
  }
  void clear() { *this = {}; }

  // Prefetches the slot of a hash that is looked up soon, and returns the number that is probably there.
  [[gnu::always_inline]] void expect(u32 hash) const {
    const Part& part = part_of(hash);
    if (part.size != 0) bring_near(&part.slots[part.first_of(hash)]);
  }
  u32 expected(u32 hash) const {
    const Part& part = part_of(hash);
    return part.size == 0 ? kNone : part.slots[part.first_of(hash)].number;
  }

 private:
  struct Slot {
    u32 hash = 0, number = kNone;
  };
  static constexpr u32 kPartBits = 3, kPartShift = 32 - kPartBits;
  struct Part {
    std::unique_ptr<Slot[]> slots;
    u32 size = 0, count = 0;

    u32 first_of(u32 hash) const { return static_cast<u32>((u64{hash << kPartBits} * size) >> 32); }
    u32 next_of(u32 at) const { return at + 1 == size ? 0 : at + 1; }
    void place(const Slot& slot) {
      u32 at = first_of(slot.hash);
      while (slots[at].number != kNone) at = next_of(at);
      slots[at] = slot;
    }
    void grow() {
      constexpr u32 kFirst = 16;
      const u32 before = size;
      size = before == 0 ? kFirst : before * 2;
      const std::unique_ptr<Slot[]> old = std::exchange(slots, std::make_unique<Slot[]>(size));
      for (u32 at = 0; at < before; ++at) {
        if (old[at].number != kNone) place(old[at]);
      }
    }
  };
  const Part& part_of(u32 hash) const { return parts_[hash >> kPartShift]; }

  std::array<Part, 1 << kPartBits> parts_;
};

}  // namespace wperf::stacks
