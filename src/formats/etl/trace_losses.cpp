// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_losses.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace wperf::etl {
namespace {

constexpr usize kMostGaps = 1000;
constexpr u32 kMostCores = 2048;              // the most that a buffer's header can name
constexpr std::int64_t kFirstNumber = 1;      // the number of the first buffer after the header
using Number = std::pair<u32, std::int64_t>;  // session and number

Number number_of(const TraceFile::Buffer& buffer) {
  return {buffer.session, buffer.sequence};
}

// The buffers of a file are numbered in the order of writing, whatever their core. If numbers before the first one are
// missing, those buffers were in another file or were overwritten in a ring.
class BufferNumbers {
 public:
  explicit BufferNumbers(const TraceFile& file) {
    for (usize i = 1; i < file.buffers().size(); ++i) numbers_.push_back(number_of(file.buffers()[i]));
    std::sort(numbers_.begin(), numbers_.end());
    missing_.resize(numbers_.size());
    for (usize i = 1; i < numbers_.size(); ++i) missing_[i] = missing_[i - 1] + missing_before(i);
  }

  const std::vector<Number>& all() const { return numbers_; }
  // For buffers of one session.
  u64 missing_before(usize i) const {
    if (i == 0 || numbers_[i].first != numbers_[i - 1].first) return 0;
    const u64 step = static_cast<u64>(numbers_[i].second) - static_cast<u64>(numbers_[i - 1].second);
    return step == 0 ? 0 : step - 1;
  }
  bool lacks_any_at_all() const { return !missing_.empty() && missing_.back() != 0; }
  bool lacks_any(const Number& from, const Number& to) const {
    return from.first != to.first || missing_[index_of(to)] != missing_[index_of(from)];
  }

 private:
  usize index_of(const Number& number) const {
    return static_cast<usize>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
  }

  std::vector<Number> numbers_;
  std::vector<u64> missing_;  // for each buffer: how many buffers are missing before it
};

// The number of buffers after the last one of the file, according to its header. If other sessions were appended, the
// header does not include their buffers.
u64 missing_at_end(const TraceFile& file, const BufferRange& all) {
  if (file.buffers().back().session != 0) return 0;
  const std::int64_t last = std::int64_t{file.header().buffers_written} - 1;  // the first number is 0, the header's
  return last > all.last ? static_cast<u64>(last - all.last) : 0;
}

// The periods that a core's buffers in a file do not cover: gaps between two of its buffers, the time after the last
// buffer of a truncated file, and the time before the first buffer of a ring.
class CoreCoverage {
 public:
  CoreCoverage(const TraceFile& file, const BufferNumbers& numbers, u64 end, const BufferRange& all,
               TraceLosses& losses)
      : file_(file), numbers_(numbers), end_(end), begins_late_(all.first > kFirstNumber), losses_(losses) {
    // In an unfinished file the last buffers of its cores are missing.
    is_whole_ = file.cut_buffers() == 0 && file.unreadable_buffers() == 0 && file.header().end_time != 0 &&
                missing_at_end(file, all) == 0;
  }

  void add(const CoreCursor& core) {
    const TraceFile::Buffer* before = nullptr;
    u64 since = file_.header().first_ticks;
    bool lacks = false;
    for (usize i = 0; i < core.buffers().size(); ++i) {
      const TraceFile::Buffer& buffer = file_.buffers()[core.buffers()[i]];
      if (core.buffers()[i] == 0) continue;  // the header, which has no number
      const CoreCursor::Span& span = core.spans()[i];
      note_flags(buffer, span, since);
      lacks =
          lacks || buffer.has_lost_events() || buffer.has_lost_buffers() ||
          (before == nullptr ? lacks_before_first(buffer) : numbers_.lacks_any(number_of(*before), number_of(buffer)));
      before = &buffer;
      if (span.has_events) {
        if (lacks) losses_.unrecorded.push_back({.core = buffer.core, .begin = since, .end = span.first});
        since = span.last;
        lacks = false;
      }
      lacks = lacks || span.is_damaged;
      if (span.is_damaged && next_of(core, i) != 0) {
        note_gap({.sign = TraceGap::Sign::damage, .core = buffer.core, .begin = since, .end = next_of(core, i)});
      }
    }
    if (before == nullptr) return;
    if (!is_whole_ && since < end_) {
      note_gap({.sign = TraceGap::Sign::file_end, .core = before->core, .begin = since, .end = end_});
    }
    if (lacks || !is_whole_ || numbers_.lacks_any(number_of(*before), numbers_.all().back())) {
      losses_.unrecorded.push_back({.core = before->core, .begin = since, .end = ~u64{0}});
    }
  }

  // If buffers are missing, they may be all the buffers of a core that has none in the file. `cores`: the cores of the
  // file.
  void add_cores_without_buffers(std::span<const CoreCursor> cores) {
    if (is_whole_ && !begins_late_ && !numbers_.lacks_any_at_all()) return;
    std::vector<bool> has_buffers(std::min<u32>(file_.header().processors, kMostCores));
    for (const CoreCursor& core : cores) {
      for (const u32 buffer : core.buffers()) {
        const u16 number = file_.buffers()[buffer].core;
        if (buffer != 0 && number < has_buffers.size()) has_buffers[number] = true;
      }
    }
    for (usize core = 0; core < has_buffers.size(); ++core) {
      if (has_buffers[core]) continue;
      losses_.unrecorded.push_back(
          {.core = static_cast<u16>(core), .begin = file_.header().first_ticks, .end = ~u64{0}});
    }
  }

 private:
  bool lacks_before_first(const TraceFile::Buffer& buffer) const {
    return begins_late_ || numbers_.lacks_any(numbers_.all().front(), number_of(buffer));
  }
  u64 next_of(const CoreCursor& core, usize i) const {
    for (++i; i < core.spans().size(); ++i) {
      if (core.spans()[i].has_events) return core.spans()[i].first;
    }
    return is_whole_ ? end_ : 0;  // 0: the end of a truncated file, which is reported separately
  }
  void note_gap(const TraceGap& gap) {
    if (losses_.gaps.size() < kMostGaps) losses_.gaps.push_back(gap);
  }
  // The flags of a core's buffers show losses between them.
  void note_flags(const TraceFile::Buffer& buffer, const CoreCursor::Span& span, u64 since) {
    losses_.flagged_events_lost += buffer.has_lost_events();
    losses_.flagged_buffers_lost += buffer.has_lost_buffers();
    const bool is_flagged = buffer.has_lost_events() || buffer.has_lost_buffers();
    losses_.flagged_buffers += is_flagged;
    if (!is_flagged || !span.has_events) return;
    note_gap({.sign = buffer.has_lost_events() ? TraceGap::Sign::events_flag : TraceGap::Sign::buffer_flag,
              .core = buffer.core,
              .begin = since,
              .end = span.first});
  }

  const TraceFile& file_;
  const BufferNumbers& numbers_;
  const u64 end_;
  const bool begins_late_;
  TraceLosses& losses_;
  bool is_whole_ = true;
};

// In ticks; 0 if the header does not have it.
u64 end_of_session(const TraceHeader& header) {
  if (header.end_time <= header.start_time) return 0;
  if (header.clock == Clock::system_time) return header.end_time;
  return header.first_ticks + scaled(header.end_time - header.start_time, header.ticks_per_second, kFileTimeSecond);
}

// The core is unknown: the gap may be on any core, between the times of the neighbouring buffers.
TraceGap gap_at(const TraceFile& file, std::span<const CoreCursor> cores, const Number& after, u64 end) {
  TraceGap gap{.sign = TraceGap::Sign::numbers, .core = {}, .begin = end, .end = 0};
  for (const CoreCursor& core : cores) {
    const auto& own = core.buffers();
    const auto next = std::partition_point(own.begin(), own.end(),
                                           [&](u32 one) { return one == 0 || number_of(file.buffers()[one]) < after; });
    u64 from = file.header().first_ticks, to = end;
    for (auto one = next; one != own.begin();) {
      const CoreCursor::Span& span = core.spans()[static_cast<usize>(--one - own.begin())];
      if (!span.has_events) continue;
      from = span.last;
      break;
    }
    for (auto one = next; one != own.end(); ++one) {
      const CoreCursor::Span& span = core.spans()[static_cast<usize>(one - own.begin())];
      if (!span.has_events) continue;
      to = span.first;
      break;
    }
    gap.begin = std::min(gap.begin, from);
    gap.end = std::max(gap.end, to);
  }
  return gap;
}

// `missing`: the number of missing buffers. The file's header says when the session ended.
void note_early_end(const TraceFile& file, std::span<const CoreCursor> cores, u64 missing, TraceLosses& losses) {
  losses.missing_buffers += missing;
  losses.missing_at_end += missing;
  losses.buffers_written += file.header().buffers_written;
  if (losses.gaps.size() >= kMostGaps) return;
  TraceGap gap{.sign = TraceGap::Sign::file_end, .core = {}, .begin = ~u64{0}, .end = end_of_session(file.header())};
  gap.buffers = missing;
  for (const CoreCursor& core : cores) {
    const bool is_header = core.buffers().size() == 1 && core.buffers().front() == 0;
    if (!is_header) gap.begin = std::min(gap.begin, core.last());
    gap.end = std::max(gap.end, core.last());
  }
  gap.begin = std::min(gap.begin, gap.end);
  losses.gaps.push_back(gap);
}

}  // namespace

BufferRange buffer_range(std::span<const TraceFile> files) {
  BufferRange all{.first = std::numeric_limits<std::int64_t>::max(), .last = 0};
  for (const TraceFile& file : files) {
    for (usize i = 1; i < file.buffers().size(); ++i) {
      const TraceFile::Buffer& buffer = file.buffers()[i];
      if (buffer.session != 0) continue;
      all.first = std::min(all.first, buffer.sequence);
      all.last = std::max(all.last, buffer.sequence);
    }
  }
  return all;
}

void add_unrecorded(const TraceFile& file, std::span<const CoreCursor> cores, u64 end, const BufferRange& all,
                    TraceLosses& losses) {
  if (cores.empty()) return;
  const BufferNumbers numbers(file);
  for (usize i = 1; i < numbers.all().size(); ++i) {
    const u64 missing = numbers.missing_before(i);
    if (missing == 0) continue;
    losses.missing_buffers += missing;
    if (losses.gaps.size() >= kMostGaps) continue;
    TraceGap gap = gap_at(file, cores, numbers.all()[i], end);
    gap.buffers = missing;
    losses.gaps.push_back(gap);
  }
  if (const u64 missing = missing_at_end(file, all); missing != 0) note_early_end(file, cores, missing, losses);
  CoreCoverage coverage(file, numbers, end, all, losses);
  for (const CoreCursor& core : cores) coverage.add(core);
  coverage.add_cores_without_buffers(cores);
}

void put_in_order(TraceLosses& losses) {
  std::stable_sort(losses.gaps.begin(), losses.gaps.end(),
                   [](const TraceGap& a, const TraceGap& b) { return a.begin < b.begin; });
  std::vector<Unrecorded>& all = losses.unrecorded;
  std::sort(all.begin(), all.end(), [](const Unrecorded& a, const Unrecorded& b) {
    return std::tie(a.core, a.begin) < std::tie(b.core, b.begin);
  });
  usize kept = 0;
  for (const Unrecorded& one : all) {
    if (kept != 0 && all[kept - 1].core == one.core && one.begin <= all[kept - 1].end) {
      all[kept - 1].end = std::max(all[kept - 1].end, one.end);
    } else {
      all[kept++] = one;
    }
  }
  all.resize(kept);
}

}  // namespace wperf::etl
