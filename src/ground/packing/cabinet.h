// SPDX-License-Identifier: BSD-3-Clause
// Compressed files of symbol stores (.pd_, .dl_, .ex_): Microsoft cabinets with one file in them. Used for candidates
// of the kind `compressed` (symbol_search.h). Reads stored and MSZIP folders; LZX is an error.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::packing {

// Unpacks the first file of the cabinet if it has at most `limit` bytes. Every offset, size and checksum is checked.
diag::Result<std::vector<std::byte>> decompress_cabinet(std::span<const std::byte> cabinet, u64 limit);

}  // namespace wperf::packing
