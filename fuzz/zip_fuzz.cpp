// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a zip file: reads its list of files and unpacks each of them. An unpacked file never has more bytes than its
// entry in the list states.
#include <cstddef>
#include <cstdlib>
#include <span>

#include "ground/packing/zip_files.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  using namespace wperf;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(packing::ZipFile::has_signature(bytes));
  const auto file = packing::ZipFile::open(bytes);
  if (!file.has_value()) {
    if (file.error().text.empty()) std::abort();
    return 0;
  }
  u64 packed = 0;
  for (const packing::ZipEntry& entry : file.value().entries()) {
    packed += entry.packed.size();
    u64 got = 0;
    const auto end = packing::ZipFile::unpack(entry, [&](std::span<const std::byte> piece) {
      got += piece.size();
      return got < (u64{1} << 20);
    });
    if (end == packing::Unpacked::all && got != entry.size) std::abort();
    if (entry.method != 0 && got > entry.size) std::abort();
  }
  if (packed > size) std::abort();
  return 0;
}
