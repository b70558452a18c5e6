// SPDX-License-Identifier: BSD-3-Clause
// How the fields of tracepoints lie in the raw bytes of their samples, by the descriptions of the recording kernel
// (Feature::tracing_data). Views reach into the file.
#pragma once
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct TracepointField {
  std::string_view name;
  u32 offset = 0, size = 0;
  // As a number without a sign; 0 where the bytes end before it, or it is longer than a number.
  u64 value(Bytes raw) const;
};

struct TracepointFormat {
  std::string_view system, name;
  u64 id = 0;  // EventAttributes::config of its events
  std::vector<TracepointField> fields;
  // With nothing at its offset: value() is 0 then.
  TracepointField field(std::string_view wanted) const;
};

// Those whose system is `system`; empty: all. A damaged section gives the formats before the damage.
std::vector<TracepointFormat> read_tracepoint_formats(Bytes section, std::string_view system);

}  // namespace wperf::perf_data
