// SPDX-License-Identifier: BSD-3-Clause
// The layout of tracepoint fields in the raw bytes of samples, as the recording kernel described it
// (Feature::tracing_data). Views point into the file.
#pragma once
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

struct TracepointField {
  std::string_view name;
  u32 offset = 0, size = 0;
  // The field as an unsigned number; 0 if the bytes end before it, or if it is longer than a number.
  u64 value(Bytes raw) const;
};

struct TracepointFormat {
  std::string_view system, name;
  u64 id = 0;  // EventAttributes::config of its events
  std::vector<TracepointField> fields;
  // If there is no such field, returns a field of size 0, whose value() is 0.
  TracepointField field(std::string_view wanted) const;
};

// The formats of `system`, or all if that is empty. A damaged section gives the formats before the damage.
std::vector<TracepointFormat> read_tracepoint_formats(Bytes section, std::string_view system);

}  // namespace wperf::perf_data
