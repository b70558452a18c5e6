// SPDX-License-Identifier: BSD-3-Clause
// The value of --call-graph, in perf's spelling: fp, dwarf, dwarf,BYTES.
#pragma once
#include <string_view>

#include "ground/diag/result.h"
#include "model/request/sampling_options.h"

namespace wperf::request {

diag::Result<CallStacks> parse_call_graph(std::string_view text);

}  // namespace wperf::request
