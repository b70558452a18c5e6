// SPDX-License-Identifier: BSD-3-Clause
// The quick way through records that look alike. A core writes a handful of layouts: the same packets at the same
// places for each load, for each branch and so on. Reading packet by packet costs a chain of dependent loads. A layout
// that was seen before is recognised by its header and padding bytes at once, and its fields are then loaded in
// parallel. Inside of records.h; does not change the decoded records (layouts_test, spe_packets_fuzz).
#pragma once
#include <array>
#include <span>

#include "base/ints.h"
#include "formats/spe/operation_record.h"
#include "formats/spe/shapes.h"

namespace wperf::spe::detail {

struct Layout {
  static constexpr usize kWords = 8;
  static constexpr usize kMostBytes = kWords * 8;  // of a record
  static constexpr usize kReach = kMostBytes + 8;  // bytes that must be readable: the load of a last short payload

  std::array<u64, kWords> fixed{};  // bits that make the layout: headers and padding
  std::array<u64, kWords> wanted{};
  std::array<u64, kFieldCount> masks{};  // 0: the field is absent
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
  // A record that was read packet by packet, from the end of the one before to its last byte.
  void learn(std::span<const u8> record);

 private:
  static constexpr u32 kMost = 8;
  static constexpr u32 kPatience = 64;  // records of no known layout until one makes room

  std::array<Layout, kMost> layouts_{};
  u32 count_ = 0;
  u32 next_ = 0;
  u32 strangers_ = 0;
};

}  // namespace wperf::spe::detail
