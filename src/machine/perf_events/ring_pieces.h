// SPDX-License-Identifier: BSD-3-Clause
// The bytes that wait in a ring which the kernel fills, as one or two pieces in the order in which they were written.
// The bytes are not interpreted: they go into a file unchanged, and readers of the file check them. Pure; the caller
// (sample_ring_linux) maps the ring, loads the head and stores the tail.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::perf_events {

struct RingPieces {
  std::span<const std::byte> first, second;  // second: from the beginning of the ring
  u64 tail = 0;                              // to be stored when the bytes were taken
  bool nonsense = false;                     // the positions contradict the ring's size: all its bytes are skipped

  usize size() const { return first.size() + second.size(); }
};

// `ring`: a power of two of bytes. Positions count up for ever.
RingPieces waiting_in(std::span<const std::byte> ring, u64 head, u64 tail);

}  // namespace wperf::perf_events
