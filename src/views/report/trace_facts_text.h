// SPDX-License-Identifier: BSD-3-Clause
// The gaps, providers and spans of a Windows trace, as lines and as JSON. Pure.
#pragma once
#include <string>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/stacks/trace_facts.h"

namespace wperf::report {

inline double trace_seconds(u64 nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

// One sentence for each loss. `all_gaps`: shows all gaps instead of the first few.
std::vector<std::string> trace_loss_lines(const stacks::TraceFacts& trace, bool all_gaps);
// Writes "trace": {…}
void write_trace_facts(text::JsonWriter& json, const stacks::TraceFacts& trace);

// The answers of `report --providers`. `rows`: number of events for each provider. `width`: terminal width; 0:
// unlimited.
std::string providers_text(const stacks::TraceProviders& providers, u32 rows, usize width);
std::string providers_json(const stacks::TraceProviders& providers, const stacks::TraceFacts& trace);

// Appends one event as a line.
void append_mark_text(std::string& out, const stacks::TraceMark& mark);
void append_mark_json(std::string& out, const stacks::TraceMark& mark);

// The answers of `report --spans`: the spans that programs marked. `rows`: number of rows in the table. `width`:
// terminal width; 0: unlimited.
std::string spans_text(const stacks::SpanTable& spans, u32 rows, usize width);
std::string spans_json(const stacks::SpanTable& spans, const stacks::TraceFacts& trace);

// "34.6 ms", or below one millisecond "12.0 us".
std::string span_time(u64 nanoseconds);
// "2 starts without a stop, 1 stop without a start"; empty if all are paired.
std::string unpaired_text(u64 unclosed, u64 unopened);

}  // namespace wperf::report
