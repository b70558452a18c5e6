// SPDX-License-Identifier: BSD-3-Clause
// Varies sampling intervals, so that a loop whose length divides the interval is not always sampled at the same
// instruction. A small generator per core (Marsaglia's xorshift), not for secrets; the same seed and core give the same
// variation. Pure.
#pragma once
#include "base/ints.h"

namespace wperf::driver {

class Jitter {
 public:
  void seed(u64 seed, u32 core) {
    u64 mixed = seed + (u64{core} + 1) * 0x9e37'79b9'7f4a'7c15;  // moves neighbouring seeds and cores far apart
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
    mixed ^= mixed >> 31;
    state_ = mixed != 0 ? mixed : 1;
  }

  // Evenly spread over interval ± (interval >> shift), so that the mean is the interval. Near the top of 32 bits the
  // spread shrinks: a counter cannot be set further from its overflow.
  u32 vary(u32 interval, u32 shift) {
    const u32 above = ~u32{0} - interval;
    const u32 wanted = interval >> shift;
    const u32 spread = wanted < above ? wanted : above;
    const u64 choices = 2 * u64{spread} + 1;
    return static_cast<u32>(interval - spread + (((next() >> 32) * choices) >> 32));
  }

 private:
  u64 next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  u64 state_;
};

}  // namespace wperf::driver
