// SPDX-License-Identifier: BSD-3-Clause
// 128-bit sums for the scaling of counts, in 64-bit words: no compiler's own 128-bit type is needed. Called by
// counts.cpp.
#pragma once
#include "base/ints.h"

namespace wperf::decode {

struct Wide {
  u64 high = 0, low = 0;
  friend bool operator==(const Wide&, const Wide&) = default;
};

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

}  // namespace wperf::decode
