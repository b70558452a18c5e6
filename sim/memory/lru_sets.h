// SPDX-License-Identifier: BSD-3-Clause
// Tags of a set-associative structure with exact least-recently-used replacement and a dirty mark per entry: used by
// every cache and TLB of the simulated machine. A set keeps its tags in order of use, so a hit on the newest tag is a
// single compare. A key is a line or page number. Its low bits select the set; see line_key() for its high bits.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

inline constexpr u64 kLineSize = 64;

// Address bits of a key. Above them is the id of the address space, so that processes never share lines or pages.
inline constexpr u32 kLineBits = 42;  // 48-bit addresses
inline constexpr u64 kLineMask = (u64{1} << kLineBits) - 1;
constexpr u64 line_key(u32 space_id, u64 address) {
  return (u64{space_id} & 0xfffff) << kLineBits | (address / kLineSize & kLineMask);
}

class LruSets {
 public:
  struct Victim {
    u64 key = 0;
    bool valid = false;
    bool dirty = false;
  };

  // At least one entry and one way; the number of entries is rounded down to a multiple of the ways.
  LruSets(u64 entries, u32 ways);

  // Returns true if the key is there; it becomes the newest, and dirty if requested.
  bool touch(u64 key, bool dirty) {
    u64* const set = set_of(key);
    if (set[0] >> 1 == key) {
      set[0] |= u64{dirty};
      return true;
    }
    return touch_older(set, key, dirty);
  }
  // Puts an absent key in as the newest; returns the evicted entry, if any.
  Victim insert(u64 key, bool dirty);
  bool contains(u64 key) const;
  // Both return the state before the call. remove() drops the key; clean() keeps it and clears its dirty mark.
  enum class Found : u8 { nothing, clean, dirty };
  Found remove(u64 key);
  Found clean(u64 key);
  // For translated code that reads the newest key of a set directly: the address of the tags and their arrangement.
  // set_mask is 0 if the arrangement does not allow that.
  void fill_parts(u64*& tags, u64& ways, u64& set_mask) {
    tags = tags_.data();
    ways = ways_;
    set_mask = mask_;
  }
  // Calls look(key, dirty) for every key.
  template <typename Look>
  void each(Look look) const {
    for (const u64 tag : tags_)
      if (tag != ~u64{0}) look(tag >> 1, (tag & 1) != 0);
  }

 private:
  u64* set_of(u64 key) { return tags_.data() + set_index(key) * ways_; }
  u64 set_index(u64 key) const {
    return mask_ != 0 ? key & mask_ : set_count_ == 1 ? 0 : (key & kLineMask) % set_count_;
  }
  bool touch_older(u64* set, u64 key, bool dirty);

  u64 ways_;
  u64 set_count_;
  u64 mask_;               // set_count_ - 1 if that is a mask, otherwise 0
  std::vector<u64> tags_;  // key << 1 | dirty, newest first within a set
};

}  // namespace wperf::sim
