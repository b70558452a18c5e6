// SPDX-License-Identifier: BSD-3-Clause
// How the record decoder reads ordinary packets: by header byte. Inside of records.h.
#pragma once
#include <array>
#include <bit>
#include <cstring>

#include "base/ints.h"
#include "formats/spe/operation_record.h"

namespace wperf::spe::detail {

enum class Step : u8 { field, ends_record, padding, rare };

struct Shape {
  u64 mask = 0;   // mask of the payload
  u16 above = 0;  // set in the word: the index of an operation
  u8 slot = Record::kSpare;
  u8 size = 0;
  Step step = Step::rare;
};

constexpr Shape field_shape(u32 header, Field field, u32 above = 0) {
  const u32 payload_size = 1U << (header >> 4 & 3);
  return {.mask = payload_size == 8 ? ~u64{0} : (u64{1} << payload_size * 8) - 1,
          .above = static_cast<u16>(above),
          .slot = static_cast<u8>(field),
          .size = static_cast<u8>(payload_size + 1),
          .step = field == Field::timestamp ? Step::ends_record : Step::field};
}

// By header byte; `rare` ones are left to parse_packet.
constexpr std::array<Shape, 256> make_shapes() {
  std::array<Shape, 256> shapes{};
  shapes[0x00] = {.mask = 0, .above = 0, .slot = Record::kSpare, .size = 1, .step = Step::padding};
  shapes[0x01] = {.mask = 0, .above = 0, .slot = Record::kSpare, .size = 1, .step = Step::ends_record};
  shapes[0x71] = field_shape(0x71, Field::timestamp);
  for (u32 size = 0; size < 4; ++size) {
    shapes[0x42 | size << 4] = field_shape(0x42 | size << 4, Field::events);
    shapes[0x43 | size << 4] = field_shape(0x43 | size << 4, Field::data_source);
  }
  shapes[0x64] = field_shape(0x64, Field::context_el1);
  shapes[0x65] = field_shape(0x65, Field::context_el2);
  for (u32 index = 0; index < 3; ++index) {
    shapes[0x48 | index] = field_shape(0x48 | index, Field::operation, index << 8);
    shapes[0x98 | index] =
        field_shape(0x98 | index, static_cast<Field>(static_cast<u32>(Field::total_latency) + index));
  }
  for (u32 index = 0; index < 5; ++index) shapes[0xb0 | index] = field_shape(0xb0 | index, static_cast<Field>(index));
  return shapes;
}
inline constexpr std::array<Shape, 256> kShapes = make_shapes();

inline u64 load_word(const u8* at) {
  static_assert(std::endian::native == std::endian::little);
  u64 word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace wperf::spe::detail
