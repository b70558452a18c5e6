// SPDX-License-Identifier: BSD-3-Clause
// The gaps of a trace of Windows, as lines and as JSON. Pure.
#pragma once
#include <string>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/stacks/trace_facts.h"

namespace wperf::report {

inline double trace_seconds(u64 nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

// One sentence for each loss. `all_gaps`: all gaps, not only the first few.
std::vector<std::string> trace_loss_lines(const stacks::TraceFacts& trace, bool all_gaps);
// "trace": {…}
void write_trace_facts(text::JsonWriter& json, const stacks::TraceFacts& trace);

}  // namespace wperf::report
