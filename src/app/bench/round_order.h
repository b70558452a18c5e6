// SPDX-License-Identifier: BSD-3-Clause
// The order of the two programs in each round of `bench`. Pure.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::bench {

// For each round: does the program before run first? True for half of the rounds, in an order that is random but the
// same for each bench. A regular pattern could coincide with a periodic disturbance of the machine, which would then
// look like a difference.
std::vector<bool> draw_order(u64 rounds);

}  // namespace wperf::bench
