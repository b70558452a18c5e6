// SPDX-License-Identifier: BSD-3-Clause
// Durations of the command line (contract 2.4): `1`, `0.1s`, `2.50h`, `750ms`. Exact decimal arithmetic, no floating
// point.
#pragma once
#include <string_view>

#include "base/ints.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::request {

// `option` is the spelling the user wrote; the error names it.
diag::Result<Duration> parse_duration(std::string_view text, std::string_view option);

// What is waited for is a multiple of these; reports show what was asked for.
inline constexpr u64 kTimeoutStepMs = 100;
inline constexpr u64 kIntervalStepMs = 500;

// Truncated to whole steps. A duration that is not 0 stays at least one step: 0 would mean "endless".
constexpr u64 whole_steps_ms(Duration duration, u64 step_ms) {
  if (duration.milliseconds == 0) return 0;
  return duration.milliseconds < step_ms ? step_ms : duration.milliseconds - duration.milliseconds % step_ms;
}

}  // namespace wperf::request
