// SPDX-License-Identifier: BSD-3-Clause
// The times at which cores were not recorded: for each core, and for all cores together. Pure.
#pragma once
#include <span>
#include <vector>

#include "model/stacks/switches.h"

namespace wperf::stacks {

// Periods ordered by their beginnings. They neither overlap nor touch.
class UnrecordedTimes {
 public:
  struct Span {
    u64 begin = 0, end = 0;
  };

  UnrecordedTimes() = default;
  // The times within [begin, end] at which at least one core was not recorded. If there are very many, gaps that are at
  // most a thousandth of the recording apart become one.
  UnrecordedTimes(std::span<const Unrecorded> unrecorded, u64 begin, u64 end);

  bool any(u64 from, u64 to) const { return first(from) < to; }
  // The first unrecorded moment from `from` on; ~0 if there is none.
  u64 first(u64 from) const;
  // The end of the last gap that began before `to`, or `to` if that gap ends later. Returns 0 if there is no such gap.
  u64 last_end(u64 to) const;
  u64 length(u64 from, u64 to) const { return length_until(to) - length_until(from); }
  // Calls visit(begin, end, is_unrecorded) for each part of [from, to].
  template <class Visit>
  void for_each_part(u64 from, u64 to, Visit visit) const {
    for (usize i = index(from); i < spans_.size() && spans_[i].begin < to; ++i) {
      if (from < spans_[i].begin) visit(from, spans_[i].begin, false);
      const u64 begin = from > spans_[i].begin ? from : spans_[i].begin, end = to < spans_[i].end ? to : spans_[i].end;
      visit(begin, end, true);
      from = end;
    }
    if (from < to) visit(from, to, false);
  }

 private:
  usize index(u64 time) const;  // index of the first gap that ends after `time`
  u64 length_until(u64 time) const;

  std::vector<Span> spans_;
  std::vector<u64> before_;  // by gap: the total length of all earlier gaps
};

// Where the recording of a core stops or continues; spans of one core do not overlap. Ordered by time; at equal times,
// ends are first.
struct CoreMark {
  u64 time = 0;
  u16 core = kEveryCore;
  bool is_unrecorded = false;  // not recorded from this time on
};
std::vector<CoreMark> core_marks(std::span<const Unrecorded> unrecorded, u64 begin, u64 end);

}  // namespace wperf::stacks
