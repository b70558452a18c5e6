// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 as zip and gzip files have it.
#pragma once
#include <array>

#include "ground/bytes/bytes.h"

namespace wperf::packing {

class Checksum {
 public:
  Checksum() {
    for (u32 i = 0; i < table_.size(); ++i) {
      u32 value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
      table_[i] = value;
    }
  }
  void add(bytes::Span bytes) {
    for (const std::byte one : bytes) state_ = table_[(state_ ^ std::to_integer<u32>(one)) & 0xff] ^ (state_ >> 8);
  }
  u32 value() const { return ~state_; }

 private:
  std::array<u32, 256> table_{};
  u32 state_ = ~u32{0};
};

}  // namespace wperf::packing
