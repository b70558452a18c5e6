// SPDX-License-Identifier: BSD-3-Clause
// The samples of one core on their way from the overflow interrupt (the one producer) to a request on any core (the one
// consumer): records of 64-bit words, a WperfSample and as many words as it says. Neither side ever waits for the
// other: where a record does not fit whole, it is refused. Loads, stores and their order only, no read-modify-write, so
// that every processor and every interrupt level will do.
#pragma once
#include "abi/wire.h"
#include "base/bytes.h"
#include "base/ints.h"

namespace wperf::driver {

inline constexpr u32 kSampleWords = sizeof(WperfSample) / sizeof(u64);

// Lives in zeroed memory of Hal::allocate; every field is meaningful as zero.
class SampleRing {
 public:
  void attach(u64* words, u32 capacity) {  // at most 2^31 words
    words_ = words;
    capacity_ = capacity;
  }

  // The producer's. `stack`: the sample.stack_words words that follow it. False: no room.
  bool push(const WperfSample& sample, const u64* stack = nullptr) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_RELAXED);
    const u32 at = position_of(pushed);
    const u32 length = kSampleWords + sample.stack_words;
    if (length > capacity_ - distance(__atomic_load_n(&popped_.value, __ATOMIC_ACQUIRE), at)) {
      return false;
    }
    u64 head[kSampleWords];
    copy_bytes(head, &sample, sizeof sample);
    const u32 next = put(put(at, head, kSampleWords), stack, sample.stack_words);
    __atomic_store_n(&pushed_.value, ((pushed >> 32) + 1) << 32 | next, __ATOMIC_RELEASE);
    return true;
  }

  // The consumer's: the oldest records, whole, as many as fit.
  struct Popped {
    u32 count;
    u32 words;
    u64 left;    // records in the ring
    u64 pushed;  // records ever: count, left and all that were popped before
  };
  Popped pop(u64* to, u32 most_words, u32 most_records) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_ACQUIRE);
    const u32 end = position_of(pushed);
    u32 at = static_cast<u32>(__atomic_load_n(&popped_.value, __ATOMIC_RELAXED));
    Popped popped = {};
    while (at != end && popped.count < most_records) {
      u64 head[kSampleWords];
      const u32 behind_head = get(at, head, kSampleWords);
      WperfSample sample;
      copy_bytes(&sample, head, sizeof sample);
      const u32 length = kSampleWords + sample.stack_words;
      if (length > most_words - popped.words) {
        break;
      }
      copy_bytes(to + popped.words, head, sizeof head);
      at = get(behind_head, to + popped.words + kSampleWords, sample.stack_words);
      popped.words += length;
      ++popped.count;
    }
    __atomic_store_n(&popped_.value, u64{at}, __ATOMIC_RELEASE);
    records_popped_ += popped.count;
    // The producer's number has 32 bits: never so many records are in the ring.
    popped.left = static_cast<u32>(static_cast<u32>(pushed >> 32) - static_cast<u32>(records_popped_));
    popped.pushed = records_popped_ + popped.left;
    return popped;
  }

 private:
  struct OwnLine {  // each side writes to a cache line of its own
    u64 value;
    u8 rest[56];
  };

  // A position is a word of the ring, counted twice round, so that full and empty differ.
  static u32 position_of(u64 pushed) { return static_cast<u32>(pushed); }
  u32 distance(u64 from, u32 to) const {
    const u32 start = static_cast<u32>(from);
    return to >= start ? to - start : to + 2 * capacity_ - start;
  }
  u32 next(u32 at) const { return at + 1 == 2 * capacity_ ? 0 : at + 1; }
  u64& word(u32 at) { return words_[at < capacity_ ? at : at - capacity_]; }
  u32 put(u32 at, const u64* from, u32 count) {
    for (u32 i = 0; i < count; ++i, at = next(at)) {
      word(at) = from[i];
    }
    return at;
  }
  u32 get(u32 at, u64* to, u32 count) {
    for (u32 i = 0; i < count; ++i, at = next(at)) {
      to[i] = word(at);
    }
    return at;
  }

  OwnLine pushed_;  // records, modulo 2^32, above the position
  OwnLine popped_;  // position
  u64* words_;
  u64 records_popped_;  // the consumer's
  u32 capacity_;
};

}  // namespace wperf::driver
