// SPDX-License-Identifier: BSD-3-Clause
// What the user asks for comes in milliseconds; machines count nanoseconds.
#pragma once
#include "base/ints.h"

namespace wperf::pipeline {

inline constexpr u64 kNanosecondsPerMillisecond = 1'000'000;

}  // namespace wperf::pipeline
