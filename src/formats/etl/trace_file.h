// SPDX-License-Identifier: BSD-3-Clause
// One .etl file as bytes: its header, and the positions of its buffers. Opens no files and interprets no events.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/etl/event.h"
#include "ground/diag/result.h"

namespace wperf::etl {

inline constexpr u64 kFileTimeSecond = 10'000'000;  // in units of FILETIME

// Computes value * factor / divisor for a large value and a small factor; it does not overflow for 500 years.
inline u64 scaled(u64 value, u64 factor, u64 divisor) {
  return value / divisor * factor + value % divisor * factor / divisor;
}

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
  u32 pointer_size = 0;  // in the program that wrote the header, not in the events
  u32 events_lost = 0, buffers_lost = 0;
  u32 mhz = 0;
  u64 ticks_per_second = 0;
  Clock clock = Clock::performance_counter;
  u64 first_ticks = 0;  // the clock's value at start_time
  std::string logger_name, file_name;
};

class TraceFile {
 public:
  static constexpr u32 kBufferHeader = 0x48;  // bytes
  struct Buffer {
    u64 offset = 0;
    u32 size = 0, filled = 0;
    u16 core = 0, flags = 0;
    std::int64_t sequence = 0;
    u32 session = 0;  // index of the session, if several were appended to each other
    bool is_packed() const;
    bool has_lost_events() const;
    bool has_lost_buffers() const;
  };
  using PassedCallback = std::function<void(u64 begin, u64 end)>;

  static bool has_signature(Bytes file);
  // Returns an error only for a file without a readable header. `looked_at` is called with ranges of bytes that were
  // loaded into memory although only their headers were needed.
  static diag::Result<TraceFile> open(Bytes file, const PassedCallback& looked_at = {});

  const TraceHeader& header() const { return header_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  Bytes body(const Buffer& buffer) const;
  u64 packed_buffers() const { return packed_; }
  u64 unreadable_buffers() const { return unreadable_; }
  u64 cut_buffers() const { return cut_; }
  // Sorted by number if needed: a ring file can begin with any buffer, and not every file has the ring flag. In other
  // files sorting changes nothing.
  std::vector<std::vector<u32>> buffers_by_core() const;

  // Called with parts of the input that are not needed any more.
  void on_passed(PassedCallback passed) { passed_ = std::move(passed); }
  void pass(const Buffer& buffer) const {
    if (passed_) passed_(buffer.offset, buffer.offset + buffer.size);
  }

 private:
  explicit TraceFile(Bytes file) : file_(file) {}
  diag::Result<void> read_header();
  void find_buffers(const PassedCallback& looked_at);

  Bytes file_;
  TraceHeader header_;
  std::vector<Buffer> buffers_;
  u64 packed_ = 0, unreadable_ = 0, cut_ = 0;
  PassedCallback passed_;
};

}  // namespace wperf::etl
