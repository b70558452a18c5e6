// SPDX-License-Identifier: BSD-3-Clause
// The value of --by: `module,caller`, tables that sample and record print in addition to the table of functions.
#pragma once
#include <string_view>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::request {

// Tables that --by adds.
enum class Breakdown { process, thread, module, core, caller };

// Each word at most once, in the order of the text. An empty place is an error.
diag::Result<std::vector<Breakdown>> parse_breakdown_list(std::string_view text);

}  // namespace wperf::request
