// SPDX-License-Identifier: BSD-3-Clause
// A kernel's AUX area and the records about it. For any contents, only bytes of the area are returned, each at its
// position, and no more than the head allows. Each step is a head (8 bytes), a length and that many bytes of records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "machine/perf_events/rings.h"

namespace {

using namespace wperf;

constexpr usize kAreaBytes = 4096;
std::byte area_bytes[kAreaBytes];

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const std::byte> left(reinterpret_cast<const std::byte*>(data), size);
  const std::span<const std::byte> area(area_bytes);
  perf_events::AuxArea reader(0, area);
  while (left.size() >= 10) {
    u64 head = 0;
    u16 length = 0;
    std::memcpy(&head, left.data(), sizeof head);
    std::memcpy(&length, left.data() + sizeof head, sizeof length);
    left = left.subspan(10);
    const auto records = left.first(std::min<usize>(length, left.size()));
    left = left.subspan(records.size());
    const u64 tail = reader.tail();
    u64 handed = 0;
    const usize middle = records.size() / 2;
    reader.drain({.first = records.first(middle), .second = records.subspan(middle)}, head,
                 [&](const readings::SpePiece& piece) {
                   if (piece.bytes.empty() || piece.buffer_address >= kAreaBytes) std::abort();
                   if (piece.bytes.data() != area.data() + piece.buffer_address) std::abort();
                   if (piece.bytes.size() > kAreaBytes - piece.buffer_address) std::abort();
                   handed += piece.bytes.size();
                 });
    if (handed > kAreaBytes || handed > head - tail) std::abort();
    if (head - reader.tail() > kAreaBytes) std::abort();
  }
  return 0;
}
