// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary text in place of the files in which the kernel and others describe running programs. The records made from
// it can be read back, and all data of a ring lies inside the ring. The first 17 bytes are the head, the tail and the
// kind of the remaining bytes.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "formats/perf_data/record.h"
#include "machine/perf_events/rings.h"
#include "machine/perf_events/synthesized_records.h"

namespace {

using namespace wperf;

void check_ring(std::span<const std::byte> ring, u64 head, u64 tail) {
  const perf_events::RingPieces pieces = perf_events::waiting_in(ring, head, tail);
  if (pieces.tail != head || pieces.size() > ring.size()) std::abort();
  if (!pieces.nonsense && pieces.size() != head - tail) std::abort();
  for (const auto& piece : {pieces.first, pieces.second}) {
    if (!piece.empty() && (piece.data() < ring.data() || piece.data() + piece.size() > ring.data() + ring.size())) {
      std::abort();
    }
  }
}

void check_records(const std::string& bytes) {
  perf_data::RecordStream stream(std::as_bytes(std::span(bytes)), 0);
  perf_data::Record record;
  while (stream.next(record)) {
  }
  if (stream.statistics().stop.has_value()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 17) return 0;
  u64 head = 0, tail = 0;
  std::memcpy(&head, data, 8);
  std::memcpy(&tail, data + 8, 8);
  check_ring(std::as_bytes(std::span(data + 17, std::bit_floor(size - 17))), head, tail);
  const std::string_view text(reinterpret_cast<const char*>(data + 17), size - 17);
  const perf_data::Trailer trailer{.sample_type = head};
  std::string bytes;
  switch (data[16] % 4) {
    case 0:
      perf_events::append_mappings(
          bytes, {1, text}, perf_events::WhichMappings::all,
          [](const perf_events::ListedMapping& one) { return perf_events::build_id_in_elf(one.path); }, trailer);
      break;
    case 1:
      perf_events::append_kernel(bytes, text, text, trailer);
      break;
    case 2:
      perf_events::append_kernel_modules(bytes, text, trailer);
      break;
    default:
      for (const std::string_view id : {perf_events::build_id_in_elf(text), perf_events::build_id_in_notes(text)}) {
        if (id.size() > 20) std::abort();
      }
  }
  check_records(bytes);
  return 0;
}
