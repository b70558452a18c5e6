// SPDX-License-Identifier: BSD-3-Clause
// The samples of one core on their way from the overflow interrupt (the one producer) to a request on any core (the one
// consumer). A record consists of 64-bit words: a RingSample, then as many stack words as its sample states. Neither
// side ever waits for the other: a record that does not fit completely is refused. Uses only loads, stores and their
// order, no read-modify-write, so that it works on every processor and at every interrupt level.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"
#include "base/raw_bytes.h"

namespace wperf::driver {

// A sample and its process, which clients do not get.
struct RingSample {
  WperfSample sample;
  u64 process_start;  // InterruptedContext::process_start
};

inline constexpr u32 kSampleWords = sizeof(WperfSample) / sizeof(u64);  // on the wire
inline constexpr u32 kKeptWords = sizeof(RingSample) / sizeof(u64);     // in a ring

// Lives in zeroed memory of Hal::allocate; every field is valid when zeroed.
class SampleRing {
 public:
  void attach(u64* words, u32 capacity) {  // at most 2^31 words
    words_ = words;
    capacity_ = capacity;
  }

  // For the producer. `stack`: the stack_words words that follow the sample. Returns false if there is no room.
  bool push(const RingSample& kept, const u64* stack = nullptr) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_RELAXED);
    const u32 at = position_of(pushed);
    const u32 stack_words = kept.sample.stack_words;
    if (kKeptWords + stack_words > capacity_ - distance(__atomic_load_n(&popped_.value, __ATOMIC_ACQUIRE), at)) {
      return false;
    }
    u64 head[kKeptWords];
    copy_bytes(head, &kept, sizeof kept);
    const u32 next = put(put(at, head, kKeptWords), stack, stack_words);
    __atomic_store_n(&pushed_.value, ((pushed >> 32) + 1) << 32 | next, __ATOMIC_RELEASE);
    return true;
  }

  // For the consumer: takes as many of the oldest records as fit, complete and in wire format. Drops a record if
  // wanted(RingSample) returns false.
  struct PopResult {
    u32 count;  // number of popped records, dropped ones included
    u32 dropped;
    u32 words;
    u64 left;    // records in the ring
    u64 pushed;  // all records ever pushed: count, left and all that were popped before
  };
  template <typename Wanted>
  PopResult pop(u64* to, u32 most_words, u32 most_records, Wanted wanted) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_ACQUIRE);
    const u32 end = position_of(pushed);
    u32 at = static_cast<u32>(__atomic_load_n(&popped_.value, __ATOMIC_RELAXED));
    PopResult popped = {};
    while (at != end && popped.count < most_records) {
      u64 head[kKeptWords];
      const u32 behind_head = get(at, head, kKeptWords);
      RingSample kept;
      copy_bytes(&kept, head, sizeof kept);
      const u32 stack_words = kept.sample.stack_words;
      if (!wanted(kept)) {
        at = skip(behind_head, stack_words);
        ++popped.count;
        ++popped.dropped;
        continue;
      }
      if (kSampleWords + stack_words > most_words - popped.words) {
        break;
      }
      copy_bytes(to + popped.words, &kept.sample, sizeof kept.sample);
      at = get(behind_head, to + popped.words + kSampleWords, stack_words);
      popped.words += kSampleWords + stack_words;
      ++popped.count;
    }
    __atomic_store_n(&popped_.value, u64{at}, __ATOMIC_RELEASE);
    records_popped_ += popped.count;
    // The producer's number has 32 bits, which is more than the ring can hold.
    popped.left = static_cast<u32>(static_cast<u32>(pushed >> 32) - static_cast<u32>(records_popped_));
    popped.pushed = records_popped_ + popped.left;
    return popped;
  }

 private:
  struct OwnLine {  // each side writes to its own cache line
    u64 value;
    u8 rest[56];
  };

  // A position is a word of the ring. It is counted over two rounds, so that full and empty differ.
  static u32 position_of(u64 pushed) { return static_cast<u32>(pushed); }
  u32 distance(u64 from, u32 to) const {
    const u32 start = static_cast<u32>(from);
    return to >= start ? to - start : to + 2 * capacity_ - start;
  }
  u32 next(u32 at) const { return at + 1 == 2 * capacity_ ? 0 : at + 1; }
  u32 skip(u32 at, u32 count) const { return at >= 2 * capacity_ - count ? at - (2 * capacity_ - count) : at + count; }
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
