// SPDX-License-Identifier: BSD-3-Clause
// A 64-bit hash identifies a sample, so a call chain is read only once and its frames are never compared. The
// probability that any two of a million stacks collide is below 10^-7. If a file provokes collisions on purpose, only
// its own counts are wrong.
#pragma once
#include <bit>
#include <cstring>
#include <span>

#include "base/ints.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/hash_slots.h"
#include "model/stacks/stack_profile.h"

namespace wperf::stacks {

struct SampleHash {
  u64 first = 0x9e37'79b9'7f4a'7c15, second = 0xd1b5'4a32'd192'ed03;

  void mix(u64 word) {
    first = spread(first ^ word);
    second = spread(second + word);
  }
  // Mixes 64-bit numbers as they are in a file. Alternate words go to two separate halves, which a core computes in
  // parallel.
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

// Maps a hash to its row; the row counts how often the hash occurred. Rows are numbered in order of insertion. Half of
// the hash is in the slot. The other half is in the row; counting reads the row anyway. Once all rows have been added,
// the row's node replaces that half.
class SampleRows {
 public:
  static constexpr u32 kNone = HashSlots::kNone;

  u32 find(const SampleHash& hash) const {
    return slots_.find(short_hash(hash), [&](u32 row) { return rows_[row].node == check_of(hash); });
  }
  void count(u32 row, u64 period) {
    ++rows_[row].count;
    rows_[row].period += period;
  }
  // The sample must not have been added before.
  u32 add(const SampleHash& hash, u32 event, u32 task, u32 core, u64 period) {
    const auto row = static_cast<u32>(rows_.size());
    rows_.push_back({event, task, core, check_of(hash), 1, period});
    slots_.add(short_hash(hash), row);
    return row;
  }
  usize size() const { return rows_.size(); }
  // For a hash that is looked up soon: the first function prefetches its slot, the second one the row found in the
  // slot.
  [[gnu::always_inline]] void expect(const SampleHash& hash) const { slots_.expect(short_hash(hash)); }
  [[gnu::always_inline]] void expect_row(const SampleHash& hash) const {
    const u32 row = slots_.expected(short_hash(hash));
    if (row != kNone) bring_near(&rows_[row]);
  }
  // Returns the rows, still without nodes. After this call no hash can be found.
  GrowingArray<StackSample> take() {
    slots_.clear();
    for (usize row = 0; row < rows_.size(); ++row) rows_[row].node = kNothing;
    return std::move(rows_);
  }

 private:
  static u32 short_hash(const SampleHash& hash) { return static_cast<u32>(hash.first); }
  static u32 check_of(const SampleHash& hash) { return static_cast<u32>(hash.second); }

  HashSlots slots_;
  GrowingArray<StackSample> rows_;
};

}  // namespace wperf::stacks
