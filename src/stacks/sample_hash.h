// SPDX-License-Identifier: BSD-3-Clause
// Samples known by a hash of 96 bits instead of by comparison: a call chain is read once where it lies in the file, and
// its frames are never compared with anything. Two different ones of a million stacks meet with a probability below
// 10^-16; who makes them meet on purpose spoils the counts of his own file. Called by stack_aggregator and recording.
#pragma once
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "base/ints.h"
#include "stacks/growing_array.h"

namespace wperf::stacks {

struct SampleHash {
  u64 first = 0x9e37'79b9'7f4a'7c15, second = 0xd1b5'4a32'd192'ed03;

  void mix(u64 word) {
    first = spread(first ^ word);
    second = spread(second + word);
  }
  // 64-bit numbers as they lie in a file. They alternate between the halves, which a core works out side by side.
  void mix_words(std::span<const std::byte> bytes) {
    const usize words = bytes.size() / sizeof(u64);
    const auto word_at = [&](usize index) {
      u64 word = 0;
      std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
      return word;
    };
    usize i = 0;
    for (; i + 1 < words; i += 2) {
      first = spread(first ^ word_at(i));
      second = spread(second ^ word_at(i + 1));
    }
    if (i < words) first = spread(first ^ word_at(i));
    mix(words);
    const u64 before = first;
    first = spread(first ^ std::rotl(second, 32));
    second = spread(second ^ before);
  }

 private:
  static u64 spread(u64 word) {
    word *= 0x9fb2'1c65'1e98'df25;
    return word ^ (word >> 32);
  }
};

// Hash → row, rows numbered as they are added.
class SampleRows {
 public:
  static constexpr u32 kNone = ~u32{0};

  u32 find(const SampleHash& hash) const {
    if (slots_.empty()) return kNone;
    const auto check = static_cast<u32>(hash.second);
    for (usize at = hash.first & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.row == kNone || (slot.hash == hash.first && slot.check == check)) return slot.row;
    }
  }
  // It will be asked for soon.
  [[gnu::always_inline]] void expect(const SampleHash& hash) const {
    if (!slots_.empty()) bring_near(&slots_[hash.first & mask_]);
  }
  // One that is not there yet.
  void add(const SampleHash& hash, u32 row) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    ++count_;
    place({hash.first, static_cast<u32>(hash.second), row});
  }
  void clear() {
    std::vector<Slot>().swap(slots_);
    count_ = 0;
  }

 private:
  struct Slot {
    u64 hash = 0;
    u32 check = 0, row = kNone;
  };
  void place(const Slot& slot) {
    usize at = slot.hash & mask_;
    while (slots_[at].row != kNone) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
  void grow() {
    constexpr usize kFirst = 1024;
    std::vector<Slot> old(slots_.empty() ? kFirst : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.row != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;
  usize count_ = 0;
  usize mask_ = 0;
};

}  // namespace wperf::stacks
