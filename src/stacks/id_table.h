// SPDX-License-Identifier: BSD-3-Clause
// Pairs of numbers → small numbers in the order of their arrival. One array of slots, no allocation per entry: this is
// asked for every frame of every new stack. Called by the other files of this room and by recording.
#pragma once
#include <vector>

#include "base/ints.h"
#include "stacks/growing_array.h"

namespace wperf::stacks {

class IdTable {
 public:
  static constexpr u32 kNone = ~u32{0};

  struct Found {
    u32 id;
    bool is_new;
  };
  Found insert(u64 first, u64 second) {
    if ((keys_.size() + 1) * 4 > slots_.size() * 3) grow();
    const u32 tag = tag_of(first, second);
    for (usize at = tag & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.id == kNone) {
        slot = {tag, static_cast<u32>(keys_.size())};
        keys_.push_back({first, second});
        return {slot.id, true};
      }
      if (slot.tag == tag && keys_[slot.id].first == first && keys_[slot.id].second == second) return {slot.id, false};
    }
  }
  // A pair that will be inserted soon: what that looks at is brought from memory, first where its hash leads, then the
  // key that is found there.
  [[gnu::always_inline]] void expect(u64 first, u64 second) const {
    if (!slots_.empty()) bring_near(&slots_[tag_of(first, second) & mask_]);
  }
  [[gnu::always_inline]] void expect_key(u64 first, u64 second) const {
    if (slots_.empty()) return;
    const u32 tag = tag_of(first, second);
    const Slot& slot = slots_[tag & mask_];
    if (slot.tag == tag && slot.id != kNone) bring_near(&keys_[slot.id]);
  }
  u32 find(u64 first, u64 second) const {
    if (slots_.empty()) return kNone;
    const u32 tag = tag_of(first, second);
    for (usize at = tag & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.id == kNone) return kNone;
      if (slot.tag == tag && keys_[slot.id].first == first && keys_[slot.id].second == second) return slot.id;
    }
  }
  // Nothing will be asked for any more but what the numbers stand for.
  void forget_slots() { std::vector<Slot>().swap(slots_); }
  u32 size() const { return static_cast<u32>(keys_.size()); }
  u64 first(u32 id) const { return keys_[id].first; }
  u64 second(u32 id) const { return keys_[id].second; }

 private:
  struct Key {
    u64 first, second;
  };
  // Most of the hash stands in the slot, so that neither growing nor passing by another's slot looks at the keys.
  struct Slot {
    u32 tag = 0;
    u32 id = kNone;
  };
  static u32 tag_of(u64 first, u64 second) {
    u64 mixed = (first + 0x9e37'79b9'7f4a'7c15) * 0xbf58'476d'1ce4'e5b9;
    mixed = (mixed ^ (mixed >> 29) ^ second) * 0x94d0'49bb'1331'11eb;
    return static_cast<u32>(mixed ^ (mixed >> 32));
  }
  void grow() {
    const usize size = slots_.empty() ? 64 : slots_.size() * 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    mask_ = size - 1;
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      usize at = slot.tag & mask_;
      while (slots_[at].id != kNone) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  GrowingArray<Key> keys_;
  std::vector<Slot> slots_;
  usize mask_ = 0;
};

}  // namespace wperf::stacks
