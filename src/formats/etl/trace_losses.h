// SPDX-License-Identifier: BSD-3-Clause
// The parts of a trace that its files lack: missing buffers, and the times of each core that no buffer covers.
#pragma once
#include <cstdint>
#include <span>

#include "formats/etl/core_cursor.h"
#include "formats/etl/trace.h"

namespace wperf::etl {

// The smallest and the largest buffer number, without headers. They show whether one file continues another.
struct BufferRange {
  std::int64_t first = 0, last = 0;
};

BufferRange buffer_range(std::span<const TraceFile> files);

// `cores`: the file's cores, after reading it completely. `end` is the end of the whole trace, in ticks. Also records
// missing buffers and their times. Call put_in_order() after the last file.
void add_unrecorded(const TraceFile& file, std::span<const CoreCursor> cores, u64 end, const BufferRange& all,
                    TraceLosses& losses);
void put_in_order(TraceLosses& losses);

}  // namespace wperf::etl
