// SPDX-License-Identifier: BSD-3-Clause
// A trace: one .etl file, or several files of one session. Its events are read in order of time. The buffers of one
// core are in order, but buffers of different cores overlap. So the cores are merged, with one open buffer for each
// core and file.
#pragma once
#include <span>

#include "formats/etl/trace_file.h"

namespace wperf::etl {

// A gap between two events of a core.
struct TraceGap {
  // The sign of the loss: a buffer's flags, missing numbers of buffers, a buffer that cannot be read to its end, or the
  // early end of a file.
  enum class Sign : u8 { events_flag, buffer_flag, numbers, damage, file_end };
  Sign sign = Sign::numbers;
  std::optional<u16> core = {};  // nullopt if the gap was found by buffer numbers
  u64 begin = 0, end = 0;        // ticks
  u64 buffers = 0;               // number of missing buffers, according to their numbers
};

// A period without records of a core.
struct Unrecorded {
  u16 core = 0;
  u64 begin = 0, end = 0;  // in ticks; ~0: until the end of the trace
};

// Events that were lost, could not be read or were skipped.
struct TraceLosses {
  u64 damaged_buffers = 0;  // buffers that are unreadable from some record to the end
  u64 damaged_bytes = 0;
  u64 cut_buffers = 0;                 // buffers that the end of the file cuts
  u64 flagged_events_lost = 0;         // buffers with a flag that says that earlier events were lost
  u64 flagged_buffers_lost = 0;        // buffers with a flag that says that buffers were lost
  u64 flagged_buffers = 0;             // buffers with one or both flags
  u64 missing_buffers = 0;             // buffers that are missing according to the numbers, also at the end
  u64 missing_at_end = 0;              // the missing buffers after the last buffer of each file
  u64 buffers_written = 0;             // the number of buffers that were written to these files
  u64 out_of_order = 0;                // events that are earlier than the previous event on their core
  std::vector<TraceGap> gaps;          // ordered by time; if there are very many, only the first ones
  std::vector<Unrecorded> unrecorded;  // ordered by core, then by time; entries of one core do not overlap
};

class Trace {
 public:
  static diag::Result<Trace> open(Bytes file);
  // Returns an error if the files cannot belong to one session. `names` are the files' names, for that error.
  static diag::Result<Trace> of_session(std::vector<TraceFile> files, std::span<const std::string> names);

  // The header of the earliest file, with the losses of all files.
  const TraceHeader& header() const { return header_; }
  const std::vector<TraceFile>& files() const { return files_; }

  // Calls visit(event) for every event in order of time; events with equal times come in the order of the files.
  // `losses` receives all losses at the end.
  void for_each_event(const std::function<void(const Event&)>& visit, TraceLosses& losses) const;

  // Nanoseconds since the start of the trace; earlier times count as 0.
  u64 nanoseconds(u64 ticks) const;
  // The clock's own value in nanoseconds.
  u64 clock_ns(u64 ticks) const;
  // As a FILETIME, in units of 100 ns since 1601.
  u64 file_time(u64 ticks) const;
  // When the trace began, in nanoseconds since 1970; 0 if the header has no time since then.
  u64 start_unix_ns() const;

 private:
  Trace() = default;

  std::vector<TraceFile> files_;
  TraceHeader header_;
};

}  // namespace wperf::etl
