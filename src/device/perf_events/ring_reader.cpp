// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/ring_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wperf::perf_events {
namespace {

struct RecordHeader {
  u32 type;
  u16 misc;
  u16 size;
};
static_assert(sizeof(RecordHeader) == 8);

}  // namespace

bool RingReader::give_up() {
  damaged_ = true;
  tail_ = head_;
  return false;
}

std::span<const std::byte> RingReader::bytes(u64 position, usize count) {
  const usize begin = static_cast<usize>(position & (ring_.size() - 1));
  const usize first = std::min(count, ring_.size() - begin);
  if (first == count) return ring_.subspan(begin, count);
  joined_.resize(count);
  std::memcpy(joined_.data(), ring_.data() + begin, first);
  std::memcpy(joined_.data() + first, ring_.data(), count - first);
  return joined_;
}

bool RingReader::next(perf_data::Record& record) {
  if (head_ == tail_) return false;
  const u64 waiting = head_ - tail_;
  if (!std::has_single_bit(ring_.size()) || waiting > ring_.size() || waiting < sizeof(RecordHeader)) return give_up();
  RecordHeader header;
  std::memcpy(&header, bytes(tail_, sizeof header).data(), sizeof header);
  if (header.size < sizeof header || header.size > waiting) return give_up();
  record = {};
  record.type = header.type;
  record.misc = header.misc;
  record.body = bytes(tail_, header.size).subspan(sizeof header);
  tail_ += header.size;
  return true;
}

}  // namespace wperf::perf_events
