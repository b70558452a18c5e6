// SPDX-License-Identifier: BSD-3-Clause
// The waiting bytes in rings that the kernel fills: rings of samples, and AUX areas of SPE.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"
#include "formats/perf_data/record.h"
#include "model/readings/samples.h"

namespace wperf::perf_events {

// The bytes that wait in a ring, as one or two pieces in the order of writing. They are not interpreted: they go into a
// file unchanged, and readers of the file check them. Pure; the caller (rings_linux) maps the ring, loads the head and
// stores the tail.
struct RingPieces {
  std::span<const std::byte> first, second;  // second: continues at the beginning of the ring
  u64 tail = 0;                              // to be stored once the bytes were taken
  bool nonsense = false;                     // the positions contradict the ring's size, so all its bytes are skipped

  usize size() const { return first.size() + second.size(); }
};

// `ring`: its size is a power of two. Positions increase forever.
RingPieces waiting_in(std::span<const std::byte> ring, u64 head, u64 tail);

// The AUX area of one core, which a tracing unit (Arm SPE) fills like a ring, and the event's own ring, whose records
// describe the written bytes. Returns the bytes in order, and counts losses in core_statistics. Pure: the caller
// (linux_spe_linux) maps both, loads the heads and stores the tails. Positions and records are not trusted.
class AuxArea {
 public:
  AuxArea(u32 core, std::span<const std::byte> area) : area_(area) { statistics_.core = core; }

  // `records`: the contents of the event's ring. `head`: the end of the written part of the area; positions increase
  // forever.
  void drain(const RingPieces& records, u64 head, const readings::SpeSink& sink);

  u64 tail() const { return tail_; }  // the space before this position can be reused
  const readings::SpeStatistics& statistics() const { return statistics_; }

 private:
  void take(const perf_data::Record& record, u64 head, const readings::SpeSink& sink);
  void hand_out(u64 begin, u64 end, const readings::SpeSink& sink);
  void lose();

  std::span<const std::byte> area_;
  std::vector<std::byte> joined_;  // records that cross the end of the ring
  u64 tail_ = 0;
  bool gap_ = false;  // bytes are missing before the next bytes
  readings::SpeStatistics statistics_;
};

}  // namespace wperf::perf_events
