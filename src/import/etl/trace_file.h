// SPDX-License-Identifier: BSD-3-Clause
// An .etl file as bytes: what its header says, its buffers, and its events in one order of time. The buffers of one
// core follow each other; those of different cores overlap, so reading is a merge with one open buffer per core. Opens
// no files, names nothing. Called by recording.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diag/result.h"
#include "import/etl/event.h"

namespace wperf::etl {

enum class Clock : u8 { performance_counter = 1, system_time = 2, cycles = 3 };

struct TraceHeader {
  u32 buffer_size = 0;
  u8 os_major = 0, os_minor = 0;
  u32 os_build = 0;
  u32 processors = 0;
  u64 start_time = 0, end_time = 0;  // FILETIME
  u64 boot_time = 0;
  u32 log_file_mode = 0;
  u32 buffers_written = 0;
  u32 pointer_size = 0;  // of who wrote the header: says nothing of the events
  u32 events_lost = 0, buffers_lost = 0;
  u32 mhz = 0;
  u64 ticks_per_second = 0;
  Clock clock = Clock::performance_counter;
  u64 first_ticks = 0;  // when start_time was
  std::string logger_name, file_name;
};

// What was lost or could not be read, and what was passed over.
struct TraceLosses {
  u64 damaged_buffers = 0;  // from a record that made no sense to the buffer's end
  u64 damaged_bytes = 0;
  u64 cut_buffers = 0;           // that the file ends in
  u64 flagged_events_lost = 0;   // buffers that say that events before them were lost
  u64 flagged_buffers_lost = 0;  // that buffers were
  u64 out_of_order = 0;          // events earlier than the one before them on their core
};

class TraceFile {
 public:
  // Only a file without a readable header is refused.
  using Passed = std::function<void(u64 begin, u64 end)>;
  // `looked_at` is told which bytes were: all of them are, but for their headers none is needed yet.
  static diag::Result<TraceFile> open(Bytes file, const Passed& looked_at = {});
  static bool has_its_look(Bytes file);

  const TraceHeader& header() const { return header_; }
  usize buffer_count() const { return buffers_.size(); }
  u64 packed_buffers() const { return packed_; }

  // Input up to there and from there is not needed any more.
  void tell_what_is_passed(Passed passed) { passed_ = std::move(passed); }

  // visit(event): every event, by time; those of one moment as they lie in the file. `losses` receives what is known
  // at the end.
  void for_each_event(const std::function<void(const Event&)>& visit, TraceLosses& losses) const;

  // Nanoseconds since the header's event; what was before it counts as then.
  u64 nanoseconds(u64 ticks) const;
  // FILETIME: units of 100 ns since 1601.
  u64 file_time(u64 ticks) const;

 private:
  struct Buffer {
    u64 offset = 0;
    u32 size = 0, filled = 0;
    u16 core = 0, flags = 0;
    std::int64_t sequence = 0;
  };
  class CoreCursor;

  explicit TraceFile(Bytes file) : file_(file) {}
  diag::Result<void> read_header();
  void find_buffers(const Passed& looked_at);
  std::vector<std::vector<u32>> buffers_by_core() const;

  Bytes file_;
  TraceHeader header_;
  std::vector<Buffer> buffers_;
  u64 packed_ = 0, unreadable_ = 0, cut_ = 0;
  Passed passed_;
};

}  // namespace wperf::etl
