// SPDX-License-Identifier: BSD-3-Clause
// On Windows these libraries are not available.
#include "code/symbols/elf/decompression.h"

namespace wperf::symbols::elf {
namespace {

diag::Error not_here() {
  return {.text = "wperf cannot read compressed debug information on Windows", .hint = "decompress it with objcopy"};
}

}  // namespace

diag::Result<std::vector<std::byte>> unpack_zlib(Bytes, u64) {
  return not_here();
}
diag::Result<std::vector<std::byte>> unpack_zstd(Bytes, u64) {
  return not_here();
}
diag::Result<std::vector<std::byte>> unpack_xz(Bytes, u64) {
  return not_here();
}

}  // namespace wperf::symbols::elf
