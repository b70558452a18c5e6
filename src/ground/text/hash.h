// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a. The same bytes have the same hash on every machine and in every version. Not for tables with hostile keys.
#pragma once
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

inline constexpr u64 kFnvBasis = 0xcbf29ce484222325;

constexpr u64 fnv1a(std::string_view bytes, u64 basis = kFnvBasis) {
  constexpr u64 kPrime = 0x100000001b3;
  u64 hash = basis;
  for (const char c : bytes) hash = (hash ^ static_cast<u8>(c)) * kPrime;
  return hash;
}

}  // namespace wperf::text
