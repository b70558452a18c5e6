// SPDX-License-Identifier: BSD-3-Clause
// Which times of which cores the buffers of one file do not cover: what lies between two buffers of a core where
// something is missing, behind the last one of a file that was cut, and before the first one of a ring. Called by
// Trace.
#pragma once
#include <span>

#include "formats/etl/core_cursor.h"

namespace wperf::etl {

// The least and the greatest number of a buffer, the headers' aside: one file may go on where another ends.
struct BufferRange {
  std::int64_t first = 0, last = 0;
};
BufferRange buffer_range(std::span<const TraceFile> files);
// `cores`: of the file, all read. `end`: of the whole trace, in ticks. Tells also of what is missing, and when. Then,
// for all files together, put_in_order().
void add_unrecorded(const TraceFile& file, std::span<const CoreCursor> cores, u64 end, const BufferRange& all,
                    TraceLosses& losses);
void put_in_order(TraceLosses& losses);

}  // namespace wperf::etl
