// SPDX-License-Identifier: BSD-3-Clause
// The answers of `report --providers`: which events a trace of Windows holds, and single ones as lines. Pure.
#pragma once
#include <string>

#include "model/stacks/trace_facts.h"

namespace wperf::report {

// `rows`: events of each provider; `width`: the terminal's; with 0 lines may have any length.
std::string providers_text(const stacks::TraceProviders& providers, u32 rows, usize width);
std::string providers_json(const stacks::TraceProviders& providers, const stacks::TraceFacts& trace);

// Appends a line.
void append_mark_text(std::string& out, const stacks::TraceMark& mark);
void append_mark_json(std::string& out, const stacks::TraceMark& mark);

}  // namespace wperf::report
