// SPDX-License-Identifier: BSD-3-Clause
// Reads DWARF's numbers one after the other. Beyond the end every number is zero and the cursor has failed. Callers
// check for failure once, not after each number.
#pragma once
#include <cstdint>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::symbols::dwarf {

class Cursor : public bytes::Reader {
 public:
  explicit Cursor(EndianBytes bytes, u64 offset = 0)
      : Reader(bytes.span()), begin_(bytes.data()), swap_(bytes.big_endian()) {
    skip(offset);
  }

  bool failed() const { return !sound(); }
  bool at_end() const { return at_ == end_; }
  u64 offset() const { return static_cast<u64>(at_ - begin_); }
  void seek(u64 offset) {
    at_ = begin_;
    skip(offset);
  }

  template <typename T>
  T number() {
    const T value = take<T>();
    return swap_ ? byte_swapped(value) : value;
  }
  u32 three_bytes() {
    const u32 a = number<u8>(), b = number<u8>(), c = number<u8>();
    return swap_ ? a << 16 | b << 8 | c : a | b << 8 | c << 16;
  }
  u64 sized(u8 size) {
    switch (size) {
      case 1:
        return number<u8>();
      case 2:
        return number<u16>();
      case 4:
        return number<u32>();
      case 8:
        return number<u64>();
      default:
        fail();
        return 0;
    }
  }
  u64 uleb() {
    if (at_ != end_ && std::to_integer<u8>(*at_) < 0x80) return std::to_integer<u8>(*at_++);
    return long_uleb();
  }
  std::int64_t sleb() {
    u64 value = 0;
    u32 shift = 0;
    u8 byte = 0;
    do {
      if (at_ == end_) {
        fail();
        return 0;
      }
      byte = std::to_integer<u8>(*at_++);
      if (shift < 64) value |= u64{byte & 0x7fu} << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~u64{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  void skip_leb() {
    while (at_ != end_) {
      if ((std::to_integer<u8>(*at_++) & 0x80) == 0) return;
    }
    fail();
  }

 private:
  u64 long_uleb() {
    u64 value = 0;
    u32 shift = 0;
    while (at_ != end_) {
      const u8 byte = std::to_integer<u8>(*at_++);
      if (shift < 64) value |= u64{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
      shift += 7;
    }
    fail();
    return 0;
  }

  const std::byte* begin_;
  bool swap_;
};

}  // namespace wperf::symbols::dwarf
