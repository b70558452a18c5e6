// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/core_cursor.h"

#include <algorithm>

#include "ground/packing/xpress.h"

namespace wperf::etl {

bool CoreCursor::advance() {
  while (rest_.empty() || !read_event()) {
    if (!open_next()) return false;
  }
  if (event_.time < last_) ++losses_->out_of_order;
  last_ = std::max(last_, event_.time);
  if (is_first_) {
    Span& span = spans_[next_ - 1];
    span.first = event_.time;
    span.last = last_;
    span.has_events = true;
    is_first_ = false;
  }
  return true;
}

bool CoreCursor::read_event() {
  event_.time = last_;  // an event without a time gets the time of the previous event
  const usize size = parse_event(rest_, event_);
  if (size == 0) {
    // Filler up to the end is not an event; filler before anything else counts as a damaged record.
    constexpr std::byte kFiller{0xff};
    if (std::any_of(rest_.begin(), rest_.end(), [](std::byte one) { return one != kFiller; }))
      note_damage(rest_.size());
    rest_ = {};
    return false;
  }
  rest_ = rest_.subspan(size);
  return true;
}

void CoreCursor::note_damage(usize bytes) {
  ++losses_->damaged_buffers;
  losses_->damaged_bytes += bytes;
  spans_[next_ - 1].is_damaged = true;
}

bool CoreCursor::open_next() {
  if (next_ != 0) {
    file_->pass(file_->buffers()[buffers_[next_ - 1]]);
    if (spans_[next_ - 1].has_events) spans_[next_ - 1].last = last_;
  }
  if (next_ == buffers_.size()) return false;
  place_ = file_place_ | buffers_[next_];
  const TraceFile::Buffer& buffer = file_->buffers()[buffers_[next_++]];
  event_.core = buffer.core;
  is_first_ = true;
  rest_ = file_->body(buffer);
  if (!buffer.is_packed()) return true;
  const usize wanted = buffer.filled - TraceFile::kBufferHeader;
  unpacked_.resize(std::min(wanted, packing::most_expanded(rest_.size())));
  const usize got = packing::expand_xpress(rest_, unpacked_);
  if (got < wanted) note_damage(wanted - got);
  rest_ = Bytes(unpacked_).first(got);
  return true;
}

}  // namespace wperf::etl
