// SPDX-License-Identifier: BSD-3-Clause
// The types of wperf-lib.h in a separate namespace, because wperf.h has the same names for other layouts.
#pragma once
// All headers that wperf-lib.h includes, so that only its own types are put into the namespace.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>

#include "include/wperf/wperf.h"

#define WPERF_LIB_TYPES_ONLY
namespace wperf::capi::lib {
#include "include/wperf/wperf-lib.h"
}
