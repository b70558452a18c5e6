// SPDX-License-Identifier: BSD-3-Clause
// Writes an .etl trace: the header, records, and the buffers that hold them, for each core.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "formats/etl/event.h"

namespace wperf::etl::write {

struct TraceFacts {
  u32 buffer_size = 1 << 16;  // bytes
  u8 os_major = 10, os_minor = 0;
  u32 os_build = 0;
  u32 processors = 0;
  u64 ticks_per_second = 10'000'000;
  u64 start_time = 0, end_time = 0;  // FILETIME
  u64 first_ticks = 0;               // the clock's value at start_time
  u32 log_file_mode = 1;
  u32 mhz = 0;
  u32 events_lost = 0, buffers_lost = 0, buffers_written = 0;
  std::string logger_name, file_name;
};

// The first buffer of a file. Some of its values are known only at the end and are filled in then.
std::string trace_header(const TraceFacts& facts);

// Records with 64-bit pointers. `counters`: attached values, 8 bytes each.
struct KernelEvent {
  u8 group, opcode, version;
};
std::string kernel_record(KernelEvent event, u64 time, std::string_view payload, std::string_view counters = {});
std::string system_record(KernelEvent event, u64 time, u32 process, u32 thread, std::string_view payload);
std::string classic_record(const etl::Guid& provider, u8 opcode, u16 version, u64 time, std::string_view payload);

struct BufferFacts {
  u16 core = 0;
  u64 sequence = 0, time = 0;
  u16 flags = 0, type = 0;
};
// One buffer with these records, and filler up to `buffer_size`.
std::string trace_buffer(std::string_view records, u32 buffer_size, const BufferFacts& facts);

// Puts the records of each core into buffers. The records of a core must come in order of time.
class BufferWriter {
 public:
  using Sink = std::function<void(std::string_view buffer)>;
  // `next_sequence`: the number of the next buffer; the header's buffer is 0.
  BufferWriter(u32 buffer_size, u64 next_sequence, Sink sink)
      : buffer_size_(buffer_size), sequence_(next_sequence), sink_(std::move(sink)) {}

  // Returns false if the record is too large for a buffer; it is then left out.
  bool add(u16 core, u64 time, std::string_view record);
  void finish();
  u32 written() const { return written_; }

 private:
  struct Core {
    std::string records;
    u64 time = 0;
  };
  void flush(u16 core, Core& one);

  u32 buffer_size_;
  u64 sequence_;
  Sink sink_;
  std::map<u16, Core> cores_;
  u32 written_ = 0;
};

}  // namespace wperf::etl::write
