// SPDX-License-Identifier: BSD-3-Clause
// What a trace of Windows says of itself: what it lacks, and when. Made by commands, shown by report with the samples
// and with the waits. Times are nanoseconds since the trace began.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct TraceGapFacts {
  std::string told_by;  // "events lost", "buffer lost": by a buffer's flag; "buffer numbers", "damage", "end of file"
  std::optional<u32> core = {};  // nothing: one that is not known
  u64 begin = 0, end = 0;
  u64 buffers = 0;  // that are missing; 0: not told
};

// What the recorder was told to be lost, by the second or so.
struct TraceLossSpan {
  u64 begin = 0, end = 0;
  u64 events = 0, buffers = 0;
};

struct TraceFacts {
  u64 events_lost = 0, buffers_lost = 0;  // as the header counts them
  u64 flagged_buffers = 0;                // that say that something was lost before them
  u64 missing_buffers = 0;                // by the numbers of those that are there
  u64 cut_buffers = 0, damaged_buffers = 0, damaged_bytes = 0;
  u64 out_of_order = 0;
  u64 samples_of_nobody = 0;
  u64 unexplained_stacks = 0, samples_without_stack = 0;
  u64 idle_samples = 0;  // that are left out
  std::vector<TraceGapFacts> gaps = {};
  std::vector<TraceLossSpan> lost_over_time = {};
};

}  // namespace wperf::stacks
