// SPDX-License-Identifier: BSD-3-Clause
// The value of -c and of --cores: `0,2-5,7-6` (contract 2.3). plan decides whether a core exists.
#pragma once
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/counted_items.h"

namespace wperf::request {

inline constexpr u64 kMaxListedCores = 128;  // in -c

struct CoreOption {
  std::string_view name;
  u64 limit;  // the most cores that the list may name, repeated ones included
};
inline constexpr CoreOption kMeasuredCores{"-c", kMaxListedCores};
inline constexpr CoreOption kSampledCores{"--cores", ~u64{0}};

diag::Result<std::vector<CoreRange>> parse_core_list(std::string_view text, const CoreOption& option = kMeasuredCores);

}  // namespace wperf::request
