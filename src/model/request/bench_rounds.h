// SPDX-License-Identifier: BSD-3-Clause
// How often `bench` runs each program: with fewer runs no change is significant.
#pragma once
#include "base/ints.h"

namespace wperf::request {

inline constexpr u32 kFewestRounds = 4, kMostRounds = 1000;

}  // namespace wperf::request
