// SPDX-License-Identifier: BSD-3-Clause
// The simulated cores, shared by the two parts of the shim. See wine_kernel.cpp.
#pragma once
#include "base/ints.h"

namespace wperf::shim {

inline constexpr u32 kCores = 2;

u32 current_core();  // the core whose deferred call runs; 0 outside of deferred calls

}  // namespace wperf::shim
