// SPDX-License-Identifier: BSD-3-Clause
// Unpacking packed parts of ELF files: sections by zlib or Zstandard, .gnu_debugdata by xz. The libraries are loaded
// for the first such section, so that other programs pay nothing for them.
#pragma once
#include <cstddef>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"
#include "ground/diag/result.h"

namespace wperf::symbols::elf {

// `size`: the unpacked size.
diag::Result<std::vector<std::byte>> unpack_zlib(Bytes packed, u64 size);
diag::Result<std::vector<std::byte>> unpack_zstd(Bytes packed, u64 size);
// At most `limit` bytes.
diag::Result<std::vector<std::byte>> unpack_xz(Bytes packed, u64 limit);

}  // namespace wperf::symbols::elf
