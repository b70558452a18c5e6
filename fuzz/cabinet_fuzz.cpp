// SPDX-License-Identifier: BSD-3-Clause
// Reads the bytes as a compressed file of a symbol store, and then as the DEFLATE stream inside one, which no checksum
// protects.
#include <cstddef>
#include <cstdlib>
#include <span>

#include "ground/packing/cabinet.h"
#include "ground/packing/deflate.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  constexpr wperf::usize kLimit = 1 << 18;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto file = wperf::packing::decompress_cabinet(bytes, kLimit);
  if (file.has_value() ? file.value().size() > kLimit : file.error().text.empty()) std::abort();
  std::vector<std::byte> out;
  (void)wperf::packing::inflate(bytes, out, kLimit);
  if (out.size() > kLimit) std::abort();
  return 0;
}
