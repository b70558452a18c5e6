// SPDX-License-Identifier: BSD-3-Clause
// The plain LZ77 of [MS-XCA] (XPRESS without Huffman codes), which newer traces use to pack their buffers. Pure.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::packing {

// Fills `out` to its end. Returns the number of bytes filled; if it is less, the input is damaged or truncated at that
// point.
usize expand_xpress(std::span<const std::byte> in, std::span<std::byte> out);

// Records repeat each other only a few times. A higher ratio would let a few bytes expand to a huge output.
constexpr usize most_expanded(usize packed) {
  constexpr usize kMostRatio = 512;
  return packed * kMostRatio;
}

}  // namespace wperf::packing
