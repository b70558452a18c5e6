// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951) decompression: the inside of MSZIP. Called by cabinet.cpp.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

// Appends what `compressed` stands for to `out`, whose last 32 KiB it may refer back to. False for damaged data, and
// for data that would make `out` longer than `limit`.
[[nodiscard]] bool inflate(std::span<const std::byte> compressed, std::vector<std::byte>& out, usize limit);

}  // namespace wperf::symbols
