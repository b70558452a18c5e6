// SPDX-License-Identifier: BSD-3-Clause
// The plain LZ77 of [MS-XCA] (XPRESS without Huffman codes), which packs the buffers of newer traces. Pure.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::etl {

// Fills `out` to its end. Less was filled than that: the input is damaged or cut from there on.
usize expand_xpress(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace wperf::etl
