// SPDX-License-Identifier: BSD-3-Clause
// Pairs starts and stops into spans. A stop closes the latest open start of its kind. If it has an activity, both must
// have the same activity; otherwise both must be from the same thread. Pure.
#pragma once
#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/ints.h"

namespace wperf::recording {

struct SpanMark {
  static constexpr u32 kNobody = ~u32{0};

  u64 time = 0;
  u32 kind = 0;                   // only starts and stops of the same kind can form a pair
  u32 thread = kNobody;           // the thread that wrote it
  std::array<u64, 2> activity{};  // zero: no activity
  bool is_stop = false;
};

// A span belongs to the thread that began it, whichever thread ended it.
struct PairedSpan {
  u32 kind = 0, thread = 0;
  u64 begin = 0, end = 0;
};

struct PairedSpans {
  std::vector<PairedSpan> spans;        // ordered by end
  std::vector<u64> unclosed, unopened;  // by kind: starts without a stop, stops without a start
};

class SpanPairing {
 public:
  // Must be called in order of time.
  void take(const SpanMark& mark);
  PairedSpans finish();

 private:
  struct Open {
    u64 time = 0;
    u32 thread = 0;
  };
  // The kind, whether spans are paired by activity, and the activity or the thread.
  using Key = std::tuple<u32, bool, std::array<u64, 2>>;
  std::map<Key, std::vector<Open>> open_;
  PairedSpans out_;
};

// Time ranges of each thread, ordered and without overlaps, so that time in several spans counts only once.
struct TimeStretch {
  u64 begin = 0, end = 0;
};
using ThreadStretches = std::unordered_map<u32, std::vector<TimeStretch>>;
ThreadStretches merged_stretches(std::span<const PairedSpan> spans);
bool lies_within(const ThreadStretches& stretches, u32 thread, u64 time);

// The spans chosen by `--span`.
struct ChosenSpans {
  ThreadStretches stretches;
  std::string text;  // "12 spans of Provider/Name (300 ms)"
};

}  // namespace wperf::recording
