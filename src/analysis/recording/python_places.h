// SPDX-License-Identifier: BSD-3-Clause
// Learns where the interpreter's function keeps the current Python frame and the next instruction: in which register,
// or at which distance from the end of its stack frame. This depends on the build, and only debug information has it.
// It is learnt by counting pairs of places with matching values.
#pragma once
#include <algorithm>
#include <vector>

#include "base/ints.h"

namespace wperf::recording {

struct PlacedWord {
  u16 place = 0;  // a register's number, or kFirstOfStack plus the distance in words
  u64 value = 0;
  static constexpr u16 kFirstOfStack = 64, kMostOfStack = 512;
};

class PythonPlaces {
 public:
  struct Pair {
    u16 frame = 0, instruction = 0;
    bool operator==(const Pair&) const = default;
  };
  static constexpr u32 kLessons = 256;  // number of stacks in which all pairs are searched

  bool is_learning() const { return lessons_ < kLessons; }
  void end_lesson() { ++lessons_; }
  void note(Pair pair) {
    const auto known = std::ranges::find(votes_, pair, &Vote::pair);
    if (known == votes_.end()) {
      if (votes_.size() < kMostPairs) votes_.push_back({pair, 1});
      return;
    }
    ++known->count;
    for (auto at = known; at != votes_.begin() && std::prev(at)->count < at->count; --at)
      std::swap(*at, *std::prev(at));
  }
  // Visits the most frequent pairs first. Places differ within the function, so rare pairs can also be right.
  template <class Visit>
  bool any_of(const Visit& visit) const {
    return std::ranges::any_of(votes_, [&](const Vote& one) { return visit(one.pair); });
  }

 private:
  static constexpr usize kMostPairs = 1024;
  struct Vote {
    Pair pair;
    u32 count = 0;
  };
  std::vector<Vote> votes_;
  u32 lessons_ = 0;
};

}  // namespace wperf::recording
