// SPDX-License-Identifier: BSD-3-Clause
// 128-bit arithmetic for the scaling of counts, in addition to base/wide.h.
#pragma once
#include "base/ints.h"
#include "base/wide.h"

namespace wperf::counts {

struct WideQuotient {
  Wide quotient;
  u64 remainder = 0;
};

Wide multiply(u64 a, u64 b);
WideQuotient divide(Wide dividend, u64 divisor);  // divisor must not be 0
bool less(Wide a, Wide b);
Wide subtract(Wide a, Wide b);  // modulo 2^128
double to_double(Wide value);
u64 saturate(Wide value);  // the greatest u64 if it does not fit

}  // namespace wperf::counts
