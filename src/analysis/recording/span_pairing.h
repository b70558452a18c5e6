// SPDX-License-Identifier: BSD-3-Clause
// Starts and stops → spans. A stop closes the latest start of its kind that is open: of the same activity where it
// names one, else of the same thread. Pure. Called by trace_spans.
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
  u32 kind = 0;                   // of one kind are starts and stops that may belong together
  u32 thread = kNobody;           // that wrote it
  std::array<u64, 2> activity{};  // zero: none
  bool is_stop = false;
};

// All of it is the thread's that began it, whoever ended it.
struct PairedSpan {
  u32 kind = 0, thread = 0;
  u64 begin = 0, end = 0;
};

struct PairedSpans {
  std::vector<PairedSpan> spans;        // by end
  std::vector<u64> unclosed, unopened;  // by kind: starts without a stop, stops without a start
};

class SpanPairing {
 public:
  // By time.
  void take(const SpanMark& mark);
  PairedSpans finish();

 private:
  struct Open {
    u64 time = 0;
    u32 thread = 0;
  };
  // Kind, whether by activity, and that or the thread.
  using Key = std::tuple<u32, bool, std::array<u64, 2>>;
  std::map<Key, std::vector<Open>> open_;
  PairedSpans out_;
};

// Stretches of time of each thread, by time, that do not overlap: what lies in several spans is there once.
struct TimeStretch {
  u64 begin = 0, end = 0;
};
using ThreadStretches = std::unordered_map<u32, std::vector<TimeStretch>>;
ThreadStretches merged_stretches(std::span<const PairedSpan> spans);
bool lies_within(const ThreadStretches& stretches, u32 thread, u64 time);

// What `--span` chose.
struct ChosenSpans {
  ThreadStretches stretches;
  std::string text;  // "12 spans of Provider/Name (300 ms)"
};

}  // namespace wperf::recording
