// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/rings.h"

#include <algorithm>
#include <bit>

namespace wperf::perf_events {

RingPieces waiting_in(std::span<const std::byte> ring, u64 head, u64 tail) {
  RingPieces pieces;
  pieces.tail = head;
  const u64 waiting = head - tail;
  if (waiting == 0) return pieces;
  if (!std::has_single_bit(ring.size()) || waiting > ring.size()) {
    pieces.nonsense = true;
    return pieces;
  }
  const auto begin = static_cast<usize>(tail & (ring.size() - 1));
  const auto count = static_cast<usize>(waiting);
  const usize up_to_end = std::min(count, ring.size() - begin);
  pieces.first = ring.subspan(begin, up_to_end);
  pieces.second = ring.first(count - up_to_end);
  return pieces;
}

void AuxArea::lose() {
  ++statistics_.data_losses;
  gap_ = true;
}

void AuxArea::drain(const RingPieces& records, u64 head, const readings::SpeSink& sink) {
  if (records.nonsense) lose();
  if (head - tail_ > area_.size()) {  // also true if the head moved back; no position in the area is trusted then
    lose();
    tail_ = head;
    return;
  }
  joined_.assign(records.first.begin(), records.first.end());
  joined_.insert(joined_.end(), records.second.begin(), records.second.end());
  perf_data::RecordStream stream(joined_, 0);
  perf_data::Record record;
  while (stream.next(record)) {
    if (record.kind() == perf_data::RecordType::aux) take(record, head, sink);
    if (record.kind() == perf_data::RecordType::lost) lose();  // the lost record may have been an AUX record
  }
}

void AuxArea::take(const perf_data::Record& record, u64 head, const readings::SpeSink& sink) {
  bytes::Reader reader(record.body);
  const u64 offset = reader.word();
  const u64 size = reader.word();
  const u64 flags = reader.word();
  // Distances from the tail, because positions may wrap around.
  const u64 begin = offset - tail_, waiting = head - tail_;
  if (!reader.sound() || begin > waiting || size > waiting - begin) return lose();
  if (begin != 0) gap_ = true;  // the kernel skipped the rest of a page
  if (size != 0) hand_out(offset, offset + size, sink);
  tail_ = offset + size;
  if ((flags & perf_data::kAuxTruncated) != 0) {
    ++statistics_.full;
    gap_ = true;
  }
  if ((flags & perf_data::kAuxPartial) != 0) lose();
  if ((flags & perf_data::kAuxCollision) != 0) ++statistics_.collisions;
}

void AuxArea::hand_out(u64 begin, u64 end, const readings::SpeSink& sink) {
  statistics_.written += end - begin;
  while (begin != end) {
    const u64 place = begin % area_.size();
    const u64 count = std::min(end - begin, area_.size() - place);
    sink({.core = statistics_.core,
          .after_gap = gap_,
          .buffer_address = place,
          .bytes = area_.subspan(static_cast<usize>(place), static_cast<usize>(count))});
    gap_ = false;
    begin += count;
  }
}

}  // namespace wperf::perf_events
