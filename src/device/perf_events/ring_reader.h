// SPDX-License-Identifier: BSD-3-Clause
// The records between tail and head of a ring that the kernel fills, one after the other. Pure: works on bytes and two
// positions; whoever maps the ring (sample_ring_linux) loads head and stores tail. The kernel is trusted no more than a
// file: what cannot be walked is skipped and said.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"
#include "import/perf_data/record.h"

namespace wperf::perf_events {

class RingReader {
 public:
  // `ring`: a power of two of bytes. Positions count up for ever.
  RingReader(std::span<const std::byte> ring, u64 head, u64 tail) : ring_(ring), head_(head), tail_(tail) {}

  // The record is valid until the next call.
  bool next(perf_data::Record& record);
  u64 tail() const { return tail_; }         // up to where everything was handed out
  bool damaged() const { return damaged_; }  // the rest up to head made no sense and was skipped

 private:
  bool give_up();
  std::span<const std::byte> bytes(u64 position, usize count);

  std::span<const std::byte> ring_;
  u64 head_, tail_;
  bool damaged_ = false;
  std::vector<std::byte> joined_;  // a record that goes round the end of the ring
};

}  // namespace wperf::perf_events
