// SPDX-License-Identifier: BSD-3-Clause
// The samples of one core on their way from the overflow interrupt (the one producer) to a request on any core (the one
// consumer). Neither ever waits for the other: a full ring refuses. Loads, stores and their order only, no
// read-modify-write, so that every processor and every interrupt level will do.
#pragma once
#include "abi/wire.h"
#include "base/bytes.h"
#include "base/ints.h"

namespace wperf::driver {

// Lives in zeroed memory of Hal::allocate; every field is meaningful as zero.
class SampleRing {
 public:
  void attach(WperfSample* slots, u32 capacity) {  // a power of two
    slots_ = slots;
    mask_ = capacity - 1;
  }

  // The producer's. False: no room.
  bool push(const WperfSample& sample) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_RELAXED);
    if (pushed - __atomic_load_n(&popped_.value, __ATOMIC_ACQUIRE) > mask_) {
      return false;
    }
    slots_[pushed & mask_] = sample;
    __atomic_store_n(&pushed_.value, pushed + 1, __ATOMIC_RELEASE);
    return true;
  }

  // The consumer's: the oldest samples, at most `most`.
  struct Popped {
    u32 count;
    u64 left;    // in the ring
    u64 pushed;  // ever: count, left and all that were popped before
  };
  Popped pop(WperfSample* to, u32 most) {
    const u64 pushed = __atomic_load_n(&pushed_.value, __ATOMIC_ACQUIRE);
    const u64 popped = __atomic_load_n(&popped_.value, __ATOMIC_RELAXED);
    const u64 there = pushed - popped;
    const u32 count = there < most ? static_cast<u32>(there) : most;
    for (u32 i = 0; i < count; ++i) {
      to[i] = slots_[(popped + i) & mask_];
    }
    __atomic_store_n(&popped_.value, popped + count, __ATOMIC_RELEASE);
    return {count, there - count, pushed};
  }

 private:
  struct OwnLine {  // each side writes to a cache line of its own
    u64 value;
    u8 rest[56];
  };

  OwnLine pushed_;
  OwnLine popped_;
  WperfSample* slots_;
  u64 mask_;
};

}  // namespace wperf::driver
