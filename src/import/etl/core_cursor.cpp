// SPDX-License-Identifier: BSD-3-Clause
#include "import/etl/core_cursor.h"

#include <algorithm>

#include "import/etl/xpress.h"

namespace wperf::etl {

bool CoreCursor::advance() {
  while (rest_.empty() || !read_event()) {
    if (!open_next()) return false;
  }
  if (event_.time < last_) ++losses_->out_of_order;
  last_ = std::max(last_, event_.time);
  if (is_first_) {
    spans_[next_ - 1] = {.first = event_.time, .last = last_, .has_events = true};
    is_first_ = false;
  }
  return true;
}

bool CoreCursor::read_event() {
  constexpr u32 kFiller = ~u32{0};
  if (rest_.size() < sizeof kFiller || field<u32>(rest_, 0) == kFiller) {
    rest_ = {};
    return false;
  }
  event_.time = last_;  // of a record that has none
  const usize size = parse_event(rest_, event_);
  if (size == 0) {
    ++losses_->damaged_buffers;
    losses_->damaged_bytes += rest_.size();
    rest_ = {};
    return false;
  }
  rest_ = rest_.subspan(size);
  return true;
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
  unpacked_.resize(wanted);
  const usize got = expand_xpress(rest_, unpacked_);
  if (got < wanted) {
    ++losses_->damaged_buffers;
    losses_->damaged_bytes += wanted - got;
  }
  rest_ = Bytes(unpacked_).first(got);
  return true;
}

}  // namespace wperf::etl
