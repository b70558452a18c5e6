// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/unrecorded.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace wperf::stacks {
namespace {

constexpr u64 kMostSpans = 1000;

// Joins spans that are at most `apart` from each other. `spans` are ordered by begin.
template <class Spans>
void join(Spans& spans, u64 apart) {
  usize kept = 0;
  for (usize i = 1; i < spans.size(); ++i) {
    if (spans[i].begin <= spans[kept].end || spans[i].begin - spans[kept].end <= apart) {
      spans[kept].end = std::max(spans[kept].end, spans[i].end);
    } else {
      spans[++kept] = spans[i];
    }
  }
  if (!spans.empty()) spans.resize(kept + 1);
}

template <class Spans>
void put_in_order(Spans& spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  join(spans, 0);
}
// Limits the number of spans, because each one costs work for all threads or for all cores.
template <class Spans>
void keep_few(Spans& spans, u64 length) {
  if (spans.size() > kMostSpans) join(spans, length / kMostSpans);
}

}  // namespace

UnrecordedTimes::UnrecordedTimes(std::span<const Unrecorded> unrecorded, u64 begin, u64 end) {
  for (const Unrecorded& one : unrecorded) {
    const Span span{std::max(one.begin, begin), std::min(one.end, end)};
    if (span.begin < span.end) spans_.push_back(span);
  }
  put_in_order(spans_);
  keep_few(spans_, end - std::min(begin, end));
  u64 length = 0;
  for (const Span& span : spans_) {
    before_.push_back(length);
    length += span.end - span.begin;
  }
}

usize UnrecordedTimes::index(u64 time) const {
  const auto found =
      std::partition_point(spans_.begin(), spans_.end(), [&](const Span& span) { return span.end <= time; });
  return static_cast<usize>(found - spans_.begin());
}

u64 UnrecordedTimes::first(u64 from) const {
  const usize i = index(from);
  return i == spans_.size() ? ~u64{0} : std::max(from, spans_[i].begin);
}

u64 UnrecordedTimes::last_end(u64 to) const {
  const auto after =
      std::partition_point(spans_.begin(), spans_.end(), [&](const Span& span) { return span.begin < to; });
  return after == spans_.begin() ? 0 : std::min(std::prev(after)->end, to);
}

u64 UnrecordedTimes::length_until(u64 time) const {
  const usize i = index(time);
  if (i == spans_.size()) {
    return spans_.empty() ? 0 : before_.back() + spans_.back().end - spans_.back().begin;
  }
  return before_[i] + (time > spans_[i].begin ? time - spans_[i].begin : 0);
}

std::vector<CoreMark> core_marks(std::span<const Unrecorded> unrecorded, u64 begin, u64 end) {
  std::vector<Unrecorded> all;
  for (Unrecorded one : unrecorded) {
    one.begin = std::max(one.begin, begin);
    one.end = std::min(one.end, end);
    if (one.begin < one.end) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Unrecorded& a, const Unrecorded& b) { return a.core < b.core; });
  std::vector<CoreMark> marks;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const Unrecorded& one) { return one.core != first->core; });
    std::vector<Unrecorded> own(first, last);
    put_in_order(own);
    if (own.front().core == kEveryCore) keep_few(own, end - begin);
    for (const Unrecorded& one : own) {
      marks.push_back({one.begin, one.core, true});
      marks.push_back({one.end, one.core, false});
    }
    first = last;
  }
  std::sort(marks.begin(), marks.end(), [](const CoreMark& a, const CoreMark& b) {
    return std::tie(a.time, a.is_unrecorded, a.core) < std::tie(b.time, b.is_unrecorded, b.core);
  });
  return marks;
}

}  // namespace wperf::stacks
