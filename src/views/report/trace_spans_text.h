// SPDX-License-Identifier: BSD-3-Clause
// The answers of `report --spans`: spans that programs marked in a trace of Windows. Pure.
#pragma once
#include <string>

#include "model/stacks/trace_facts.h"

namespace wperf::report {

// `rows`: the table's; `width`: the terminal's; with 0 lines may have any length.
std::string spans_text(const stacks::SpanTable& spans, u32 rows, usize width);
std::string spans_json(const stacks::SpanTable& spans, const stacks::TraceFacts& trace);

// "34.6 ms", and below one millisecond "12.0 us".
std::string span_time(u64 nanoseconds);
// "2 starts without a stop, 1 stop without a start"; empty: all have both.
std::string unpaired_text(u64 unclosed, u64 unopened);

}  // namespace wperf::report
