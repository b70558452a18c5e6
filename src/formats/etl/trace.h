// SPDX-License-Identifier: BSD-3-Clause
// A trace: one .etl file, or several of one session, whose events are read in one order of time. The buffers of one
// core follow each other; those of different cores overlap, so reading is a merge with one open buffer per core and
// file.
#pragma once
#include <span>

#include "formats/etl/trace_file.h"

namespace wperf::etl {

// A gap between two events of a core.
struct TraceGap {
  // The sign of a loss: a buffer's flags, missing numbers of buffers, a buffer that cannot be read to its end, or a
  // file that ends too early.
  enum class Sign : u8 { events_flag, buffer_flag, numbers, damage, file_end };
  Sign sign = Sign::numbers;
  std::optional<u16> core = {};  // not known, if found by numbers
  u64 begin = 0, end = 0;        // ticks
  u64 buffers = 0;               // missing ones, according to their numbers
};

// A time of which a core has no record.
struct Unrecorded {
  u16 core = 0;
  u64 begin = 0, end = 0;  // ticks; ~0: to the end of the trace
};

// Events that were lost, could not be read, or were skipped.
struct TraceLosses {
  u64 damaged_buffers = 0;  // from an unreadable record to the end of the buffer
  u64 damaged_bytes = 0;
  u64 cut_buffers = 0;                 // at the end of the file
  u64 flagged_events_lost = 0;         // buffers with a flag that events before them were lost
  u64 flagged_buffers_lost = 0;        // buffers with a flag that buffers were lost
  u64 flagged_buffers = 0;             // buffers with one or both flags
  u64 missing_buffers = 0;             // by their numbers
  u64 out_of_order = 0;                // events earlier than the one before them on their core
  std::vector<TraceGap> gaps;          // by time; only the first ones if there are very many
  std::vector<Unrecorded> unrecorded;  // by core, then by time; without overlaps on one core
};

class Trace {
 public:
  static diag::Result<Trace> open(Bytes file);
  // An error if these cannot belong to one session. `names` are the files' names for that error.
  static diag::Result<Trace> of_session(std::vector<TraceFile> files, std::span<const std::string> names);

  // The header of the file that begins first, with the losses of all files.
  const TraceHeader& header() const { return header_; }
  const std::vector<TraceFile>& files() const { return files_; }

  // visit(event): every event, by time; those of one moment in the order of the files. `losses` gets all losses at the
  // end.
  void for_each_event(const std::function<void(const Event&)>& visit, TraceLosses& losses) const;

  // Nanoseconds since the header's event; earlier times count as 0.
  u64 nanoseconds(u64 ticks) const;
  // FILETIME: units of 100 ns since 1601.
  u64 file_time(u64 ticks) const;

 private:
  Trace() = default;

  std::vector<TraceFile> files_;
  TraceHeader header_;
};

}  // namespace wperf::etl
