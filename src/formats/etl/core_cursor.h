// SPDX-License-Identifier: BSD-3-Clause
// The events of one core in one file, buffer after buffer, and the time range of each buffer.
#pragma once
#include "formats/etl/trace.h"

namespace wperf::etl {

class CoreCursor {
 public:
  struct Span {
    u64 first = 0, last = 0;  // ticks
    bool has_events = false;
    bool is_damaged = false;  // bytes after `last` could not be read
  };

  // `number`: the file's position among all files.
  CoreCursor(const TraceFile& file, usize number, std::vector<u32> buffers, TraceLosses& losses)
      : file_(&file),
        losses_(&losses),
        buffers_(std::move(buffers)),
        spans_(buffers_.size()),
        file_place_(u64{number} << 32) {}

  const Event& event() const { return event_; }
  u64 last() const { return last_; }    // the latest time so far
  u64 place() const { return place_; }  // greater values are later in a file, or in a later file
  bool advance();

  // Complete only after the last event.
  const std::vector<u32>& buffers() const { return buffers_; }
  const std::vector<Span>& spans() const { return spans_; }  // one for each buffer

 private:
  bool read_event();
  bool open_next();
  void note_damage(usize bytes);

  const TraceFile* file_;
  TraceLosses* losses_;
  std::vector<u32> buffers_;
  std::vector<Span> spans_;
  u64 file_place_ = 0, place_ = 0;
  usize next_ = 0;
  std::vector<std::byte> unpacked_;
  Bytes rest_;
  Event event_;
  u64 last_ = 0;
  bool is_first_ = false;  // is this the first event of its buffer?
};

}  // namespace wperf::etl
