// SPDX-License-Identifier: BSD-3-Clause
// Facts about a trace of Windows: its gaps and losses, and their times. Times are nanoseconds since the trace began.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct TraceGapFacts {
  std::string told_by;  // "events lost", "buffer lost": by a buffer's flag; "buffer numbers", "damage", "end of file"
  std::optional<u32> core = {};  // nullopt: not known
  u64 begin = 0, end = 0;
  u64 buffers = 0;  // missing ones; 0: not known
};

// A loss that the recorder learned of, to the second or so.
struct TraceLossSpan {
  u64 begin = 0, end = 0;
  u64 events = 0, buffers = 0;
};

struct TraceFacts {
  u64 events_lost = 0, buffers_lost = 0;  // as the header counts them
  u64 flagged_buffers = 0;                // buffers with a flag that data before them was lost
  u64 missing_buffers = 0;                // according to the numbers of the present ones
  u64 cut_buffers = 0, damaged_buffers = 0, damaged_bytes = 0;
  u64 out_of_order = 0;
  u64 samples_of_nobody = 0;
  u64 unexplained_stacks = 0, samples_without_stack = 0;
  u64 idle_samples = 0;  // samples that are left out
  std::vector<TraceGapFacts> gaps = {};
  std::vector<TraceLossSpan> lost_over_time = {};
};

}  // namespace wperf::stacks
