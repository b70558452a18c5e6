// SPDX-License-Identifier: BSD-3-Clause
// The integers of freestanding C++ code: the abi's, with short names.
#pragma once
#include "abi/int_types.h"

namespace wperf {
using u8 = wperf_u8;
using u16 = wperf_u16;
using u32 = wperf_u32;
using u64 = wperf_u64;
using usize = decltype(sizeof 0);
}  // namespace wperf
