// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <span>
#include <utility>

#include "formats/etl/core_cursor.h"
#include "formats/etl/trace_losses.h"

namespace wperf::etl {
namespace {

constexpr u64 kNsPerSecond = 1'000'000'000;
constexpr u64 kNsPerFileTime = 100;

bool are_apart(u64 a, u64 b) {
  // The clock may be corrected between the beginnings of two files, but by less than this.
  constexpr u64 kTolerance = 2 * kFileTimeSecond;
  return std::max(a, b) - std::min(a, b) > kTolerance;
}

// The reason why the events of the two files cannot be put in one order; empty if they can.
std::string difference(const TraceHeader& a, const TraceHeader& b) {
  if (a.clock != b.clock) return "they use different clocks";
  if (a.ticks_per_second != b.ticks_per_second) {
    return fmt::format("their clocks have {} and {} ticks per second", a.ticks_per_second, b.ticks_per_second);
  }
  if (a.boot_time != 0 && b.boot_time != 0 && are_apart(a.boot_time, b.boot_time)) {
    return "the machine was restarted between them, or they are from two machines";
  }
  if (a.clock != Clock::performance_counter) return {};
  const auto zero = [](const TraceHeader& header) {
    return header.start_time - scaled(header.first_ticks, kFileTimeSecond, header.ticks_per_second);
  };
  return are_apart(zero(a), zero(b)) ? "their clocks started at different times" : "";
}

}  // namespace

diag::Result<Trace> Trace::open(Bytes file) {
  WPERF_TRY(TraceFile opened, TraceFile::open(file));
  std::vector<TraceFile> files;
  files.push_back(std::move(opened));
  return of_session(std::move(files), {});
}

diag::Result<Trace> Trace::of_session(std::vector<TraceFile> files, std::span<const std::string> names) {
  usize first = 0;
  for (usize i = 1; i < files.size(); ++i) {
    if (const std::string why = difference(files[0].header(), files[i].header()); !why.empty()) {
      return diag::Error{.text = fmt::format("{} and {} are not from one session: {}", names[0], names[i], why),
                         .hint = "report each of them separately"};
    }
    if (files[i].header().first_ticks < files[first].header().first_ticks) first = i;
  }
  Trace trace;
  trace.header_ = files[first].header();
  trace.header_.events_lost = trace.header_.buffers_lost = 0;
  for (const TraceFile& file : files) {
    trace.header_.events_lost += file.header().events_lost;
    trace.header_.buffers_lost += file.header().buffers_lost;
    trace.header_.processors = std::max(trace.header_.processors, file.header().processors);
  }
  trace.files_ = std::move(files);
  return trace;
}

void Trace::for_each_event(const std::function<void(const Event&)>& visit, TraceLosses& losses) const {
  std::vector<CoreCursor> cursors;
  std::vector<usize> first_of_file{0};
  for (const TraceFile& file : files_) {
    for (std::vector<u32>& core : file.buffers_by_core()) {
      if (!core.empty()) cursors.emplace_back(file, first_of_file.size() - 1, std::move(core), losses);
    }
    first_of_file.push_back(cursors.size());
  }
  struct Next {
    u64 time;
    u64 place;  // the order of events with equal times
    u32 cursor;
    bool operator<(const Next& other) const {  // a heap has its greatest element on top, so the order is reversed
      return time != other.time ? time > other.time : place > other.place;
    }
  };
  const auto next_of = [&](u32 cursor) { return Next{cursors[cursor].event().time, cursors[cursor].place(), cursor}; };
  std::priority_queue<Next> queue;
  for (u32 i = 0; i < cursors.size(); ++i) {
    if (cursors[i].advance()) queue.push(next_of(i));
  }
  while (!queue.empty()) {
    const u32 cursor = queue.top().cursor;
    queue.pop();
    CoreCursor& core = cursors[cursor];
    // While no other core has an earlier event, this core continues without the queue.
    while (true) {
      visit(core.event());
      if (!core.advance()) break;
      const Next next = next_of(cursor);
      if (!queue.empty() && next < queue.top()) {
        queue.push(next);
        break;
      }
    }
  }
  u64 end = header_.first_ticks;
  for (const CoreCursor& core : cursors) end = std::max(end, core.last());
  const BufferRange all = buffer_range(files_);
  for (usize i = 0; i < files_.size(); ++i) {
    losses.damaged_buffers += files_[i].unreadable_buffers();
    losses.cut_buffers += files_[i].cut_buffers();
    add_unrecorded(files_[i], std::span(cursors).subspan(first_of_file[i], first_of_file[i + 1] - first_of_file[i]),
                   end, all, losses);
  }
  put_in_order(losses);
}

u64 Trace::nanoseconds(u64 ticks) const {
  return ticks <= header_.first_ticks ? 0 : scaled(ticks - header_.first_ticks, kNsPerSecond, header_.ticks_per_second);
}

u64 Trace::clock_ns(u64 ticks) const {
  return scaled(ticks, kNsPerSecond, header_.ticks_per_second);
}

u64 Trace::start_unix_ns() const {
  constexpr u64 k1970 = 116'444'736'000'000'000, kLatest = k1970 + (~u64{0} >> 1) / kNsPerFileTime;
  if (header_.start_time <= k1970 || header_.start_time > kLatest) return 0;
  return (header_.start_time - k1970) * kNsPerFileTime;
}

u64 Trace::file_time(u64 ticks) const {
  if (header_.clock == Clock::system_time) return ticks;
  if (ticks >= header_.first_ticks) {
    return header_.start_time + scaled(ticks - header_.first_ticks, kFileTimeSecond, header_.ticks_per_second);
  }
  return header_.start_time - scaled(header_.first_ticks - ticks, kFileTimeSecond, header_.ticks_per_second);
}

}  // namespace wperf::etl
