// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/span_pairing.h"

#include <algorithm>
#include <iterator>

namespace wperf::recording {

void SpanPairing::take(const SpanMark& mark) {
  if (mark.kind >= out_.unclosed.size()) {
    out_.unclosed.resize(usize{mark.kind} + 1);
    out_.unopened.resize(usize{mark.kind} + 1);
  }
  const bool by_activity = mark.activity != std::array<u64, 2>{};
  // Without an activity or a thread, a mark cannot be paired.
  if (!by_activity && mark.thread == SpanMark::kNobody) {
    ++(mark.is_stop ? out_.unopened : out_.unclosed)[mark.kind];
    return;
  }
  const Key key{mark.kind, by_activity, by_activity ? mark.activity : std::array<u64, 2>{mark.thread, 0}};
  if (!mark.is_stop) {
    open_[key].push_back({.time = mark.time, .thread = mark.thread});
    return;
  }
  const auto found = open_.find(key);
  if (found == open_.end()) {
    ++out_.unopened[mark.kind];
    return;
  }
  const Open begun = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) open_.erase(found);  // not kept, because there are many activities
  out_.spans.push_back(
      {.kind = mark.kind, .thread = begun.thread, .begin = begun.time, .end = std::max(mark.time, begun.time)});
}

PairedSpans SpanPairing::finish() {
  for (const auto& [key, starts] : open_) out_.unclosed[std::get<0>(key)] += starts.size();
  open_.clear();
  return std::move(out_);
}

ThreadStretches merged_stretches(std::span<const PairedSpan> spans) {
  ThreadStretches out;
  for (const PairedSpan& one : spans) {
    if (one.thread != SpanMark::kNobody) out[one.thread].push_back({.begin = one.begin, .end = one.end});
  }
  for (auto& [thread, stretches] : out) {
    std::sort(stretches.begin(), stretches.end(),
              [](const TimeStretch& a, const TimeStretch& b) { return a.begin < b.begin; });
    usize kept = 0;
    for (const TimeStretch one : stretches) {
      if (kept != 0 && one.begin <= stretches[kept - 1].end) {
        stretches[kept - 1].end = std::max(stretches[kept - 1].end, one.end);
      } else {
        stretches[kept++] = one;
      }
    }
    stretches.resize(kept);
  }
  return out;
}

bool lies_within(const ThreadStretches& stretches, u32 thread, u64 time) {
  const auto found = stretches.find(thread);
  if (found == stretches.end()) return false;
  const auto behind = std::upper_bound(found->second.begin(), found->second.end(), time,
                                       [](u64 wanted, const TimeStretch& one) { return wanted < one.begin; });
  return behind != found->second.begin() && time < std::prev(behind)->end;
}

}  // namespace wperf::recording
