// SPDX-License-Identifier: BSD-3-Clause
// The plain LZ77 of [MS-XCA] (XPRESS without Huffman codes), which packs the buffers of newer traces. Pure.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::packing {

// Fills `out` to its end. Returns the number of bytes filled; if it is less, the input is damaged or cut from there on.
usize expand_xpress(std::span<const std::byte> in, std::span<std::byte> out);

// Records repeat each other a few times; a higher ratio would expand a few bytes to very many.
constexpr usize most_expanded(usize packed) {
  constexpr usize kMostRatio = 512;
  return packed * kMostRatio;
}

}  // namespace wperf::packing
