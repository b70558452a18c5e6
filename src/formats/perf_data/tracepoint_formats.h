// SPDX-License-Identifier: BSD-3-Clause
// The layout of tracepoint fields in the raw bytes of samples, from the descriptions of the recording kernel
// (Feature::tracing_data). Views reach into the file.
#pragma once
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct TracepointField {
  std::string_view name;
  u32 offset = 0, size = 0;
  // As a number without a sign; 0 if the bytes end before it, or if it is longer than a number.
  u64 value(Bytes raw) const;
};

struct TracepointFormat {
  std::string_view system, name;
  u64 id = 0;  // EventAttributes::config of its events
  std::vector<TracepointField> fields;
  // A field of size 0: value() returns 0 then.
  TracepointField field(std::string_view wanted) const;
};

// The formats whose system is `system`; if that is empty, all. A damaged section gives the formats before the damage.
std::vector<TracepointFormat> read_tracepoint_formats(Bytes section, std::string_view system);

}  // namespace wperf::perf_data
