// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951) decompression: the inside of zip and gzip files, and of MSZIP in cabinets.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::packing {

// Appends the unpacked `compressed` to `out`, whose last 32 KiB it may refer back to. False for damaged data, and for
// data that would make `out` longer than `limit`.
[[nodiscard]] bool inflate(std::span<const std::byte> compressed, std::vector<std::byte>& out, usize limit);

// The same in pieces of at most 256 KiB, each given to `take`, which may end it all with false. At most `limit` bytes.
// The bytes before damage were given out. `used`: how many bytes of `compressed` it took, if others may follow.
using TakePiece = std::function<bool(std::span<const std::byte>)>;
[[nodiscard]] bool inflate(std::span<const std::byte> compressed, u64 limit, const TakePiece& take,
                           usize* used = nullptr);

}  // namespace wperf::packing
