// SPDX-License-Identifier: BSD-3-Clause
// The value of -c: `0,2-5,7-6` (contract 2.3). Whether a core exists is for plan to say.
#pragma once
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::request {

inline constexpr u64 kMaxListedCores = 128;

diag::Result<std::vector<CoreRange>> parse_core_list(std::string_view text);

}  // namespace wperf::request
