// SPDX-License-Identifier: BSD-3-Clause
// Requests for the fuzz scenario: valid requests with random fields, and damaged requests. The same seed gives the same
// requests.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

class Random {
 public:
  explicit Random(u64 seed) : state_(seed | 1) {}
  u64 next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545'f491'4f6c'dd1d;
  }
  u32 below(u32 limit) { return static_cast<u32>((next() >> 32) * limit >> 32); }
  bool one_in(u32 n) { return below(n) == 0; }

 private:
  u64 state_;
};

inline constexpr u32 kMostInput = 4096;

struct RandomRequest {
  u32 code;
  u32 input_size;
  u32 capacity;
  u32 answer;  // size of the answer on success; only meaningful if the code is known
  alignas(8) u8 input[kMostInput];
};

void make_random_request(Random& random, u32 cores, RandomRequest& request);

}  // namespace wperf::nthost
