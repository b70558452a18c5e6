// SPDX-License-Identifier: BSD-3-Clause
// Durations of the command line (contract 2.4): `1`, `0.1s`, `2.50h`, `750ms`. Exact decimal arithmetic, no floating
// point.
#pragma once
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

struct Duration {
  u64 milliseconds = 0;
};

// `option` is the user's spelling; the error names it.
diag::Result<Duration> parse_duration(std::string_view text, std::string_view option);

}  // namespace wperf::request
