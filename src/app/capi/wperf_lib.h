// SPDX-License-Identifier: BSD-3-Clause
// The types of wperf-lib.h in a namespace of their own, because wperf.h has the same names for other layouts.
#pragma once
// All that the header includes, so that nothing but its own types lands in the namespace.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>

#include "include/wperf/wperf.h"

#define WPERF_LIB_TYPES_ONLY
namespace wperf::capi::lib {
#include "include/wperf/wperf-lib.h"
}
