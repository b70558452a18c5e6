// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a cached list of a kernel's functions. A lookup returns no name, or a name inside the bytes, in bounded
// time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "code/symbols/listed/kernel_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto list = symbols::KernelList::open(bytes, "_text");
  if (!list.has_value()) return 0;
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  for (u64 distance = 0; distance < 64; ++distance) {
    for (const u64 from : {u64{0}, ~u64{0} - 40, u64{0x1000}, u64{1} << 63}) {
      const auto found = list->find(from + distance * 8, size != 0 ? distance * 977 % size : 0);
      if (!found.has_value()) continue;
      if (found->name.data() < text || found->name.data() + found->name.size() > text + size) std::abort();
    }
  }
  return 0;
}
