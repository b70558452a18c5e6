// SPDX-License-Identifier: BSD-3-Clause
// Unpacks parts of ELF files: sections packed with zlib or Zstandard, .gnu_debugdata packed with xz. A library is
// loaded when the first section that needs it is read, so it costs other runs nothing.
#pragma once
#include <cstddef>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"
#include "ground/diag/result.h"

namespace wperf::symbols::elf {

// `size`: the unpacked size.
diag::Result<std::vector<std::byte>> unpack_zlib(Bytes packed, u64 size);
diag::Result<std::vector<std::byte>> unpack_zstd(Bytes packed, u64 size);
// Unpacks at most `limit` bytes.
diag::Result<std::vector<std::byte>> unpack_xz(Bytes packed, u64 limit);

}  // namespace wperf::symbols::elf
