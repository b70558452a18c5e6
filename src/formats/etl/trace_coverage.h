// SPDX-License-Identifier: BSD-3-Clause
// The times of cores that the buffers of one file do not cover: between two buffers of a core with a gap, after the
// last one of a file that was cut, and before the first one of a ring.
#pragma once
#include <span>

#include "formats/etl/core_cursor.h"

namespace wperf::etl {

// The least and the greatest number of a buffer, the headers' aside: one file may go on where another ends.
struct BufferRange {
  std::int64_t first = 0, last = 0;
};
BufferRange buffer_range(std::span<const TraceFile> files);
// `cores` are those of the file, all read. `end` is the end of the whole trace, in ticks. Also records missing buffers
// and their times. After all files, call put_in_order().
void add_unrecorded(const TraceFile& file, std::span<const CoreCursor> cores, u64 end, const BufferRange& all,
                    TraceLosses& losses);
void put_in_order(TraceLosses& losses);

}  // namespace wperf::etl
