// SPDX-License-Identifier: BSD-3-Clause
// The fast path for records with a known layout. A core writes only a few layouts: for each load, for each branch and
// so on, it writes the same packets at the same positions. Reading packet by packet costs a chain of dependent loads. A
// known layout is recognised by all its header and padding bytes at once, and its fields are then loaded in parallel.
// Used only by record_reader.h; it does not change the decoded records (layouts_test, spe_packets_fuzz).
#pragma once
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "base/ints.h"
#include "formats/spe/operation_record.h"

namespace wperf::spe::detail {

// How the record decoder reads ordinary packets, by header byte. Used only by record_reader.h.
enum class Step : u8 { field, ends_record, padding, rare };

struct Shape {
  u64 mask = 0;   // mask of the payload
  u16 above = 0;  // ORed into the word: the index of an operation
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

// Indexed by header byte; parse_packet reads the `rare` packets.
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

struct Layout {
  static constexpr usize kWords = 8;
  static constexpr usize kMostBytes = kWords * 8;  // maximum size of a record
  static constexpr usize kReach = kMostBytes + 8;  // bytes that must be readable, because a short payload at the end is
                                                   // loaded as a whole word

  std::array<u64, kWords> fixed{};  // bits that define the layout, in headers and padding
  std::array<u64, kWords> wanted{};
  std::array<u64, kFieldCount> masks{};  // 0 if the field is absent
  std::array<u8, kFieldCount> offsets{};
  u16 operation_above = 0;
  u32 size = 0;
  u32 present = 0;

  bool fits(const u8* at) const {
    u64 different = 0;
    for (usize i = 0; i < kWords; ++i) different |= (load_word(at + i * 8) & fixed[i]) ^ wanted[i];
    return different == 0;
  }
  void fill(const u8* at, Record& record) const {
    for (usize i = 0; i < kFieldCount; ++i) record.words[i] = load_word(at + offsets[i]) & masks[i];
    record.words[static_cast<usize>(Field::operation)] |= operation_above;
    record.present = present;
  }
};

class Layouts {
 public:
  const Layout* find(const u8* at) const {
    for (u32 i = 0; i < count_; ++i) {
      if (layouts_[i].fits(at)) return &layouts_[i];
    }
    return nullptr;
  }
  // Learns from a record that was read packet by packet. It begins after the previous record and ends with its last
  // byte.
  void learn(std::span<const u8> record);

 private:
  static constexpr u32 kMost = 8;
  static constexpr u32 kPatience = 64;  // after this many records of unknown layout, one layout is replaced

  std::array<Layout, kMost> layouts_{};
  u32 count_ = 0;
  u32 next_ = 0;
  u32 strangers_ = 0;
};

}  // namespace wperf::spe::detail
