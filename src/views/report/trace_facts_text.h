// SPDX-License-Identifier: BSD-3-Clause
// What a trace of Windows lacks, as lines and as JSON. Pure. Called by commands, and by the reports of this room.
#pragma once
#include <string>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/stacks/trace_facts.h"

namespace wperf::report {

inline double trace_seconds(u64 nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

// A sentence each. `all_gaps`: each of them, else the first few.
std::vector<std::string> trace_loss_lines(const stacks::TraceFacts& trace, bool all_gaps);
// "trace": {…}
void write_trace_facts(text::JsonWriter& json, const stacks::TraceFacts& trace);

}  // namespace wperf::report
