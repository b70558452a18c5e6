// SPDX-License-Identifier: BSD-3-Clause
// For the tests of this room: times of the simulated machine's clock.
#pragma once
#include "base/ints.h"

namespace wperf::sim {

inline constexpr u64 kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;

}  // namespace wperf::sim
