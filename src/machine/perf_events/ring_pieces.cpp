// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/ring_pieces.h"

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

}  // namespace wperf::perf_events
