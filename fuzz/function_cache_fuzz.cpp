// SPDX-License-Identifier: BSD-3-Clause
// Bytes as cached functions of an ELF module. A damaged cache cannot be opened. A cache that can be opened returns no
// name, or a name inside its bytes, in bounded time. In half of the runs the checksum is corrected, so that the code
// after that check is reached.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "code/symbols/elf/function_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf;
  const auto input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(input.begin(), input.end());
  const std::array<std::byte, 2> build_id = {std::byte{0x12}, std::byte{0xab}};
  const symbols::FunctionCacheKey key{.build_id = build_id, .image_size = 1};
  if (size % 2 == 0) symbols::FunctionCache::seal(bytes);
  const auto cache = symbols::FunctionCache::open(bytes, key);
  if (!cache.has_value()) return 0;
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  for (u64 step = 0; step < 64; ++step) {
    for (const u64 from : {u64{0}, u64{0x1000}, ~u64{0} - 600, u64{1} << 63}) {
      const u64 address = from + step * 8;
      const auto found = cache->find(address);
      if (!found.has_value()) continue;
      if (found->end <= address) std::abort();
      if (found->name.data() < text || found->name.data() + found->name.size() > text + bytes.size()) std::abort();
    }
  }
  return 0;
}
