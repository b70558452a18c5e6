// SPDX-License-Identifier: BSD-3-Clause
// One message of protobuf's encoding, built in memory. docs/decisions has why it is not libprotobuf. Zero and empty
// fields are left out, as in proto3; always() writes them all the same.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

class Message {
 public:
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

  void number(u32 field, u64 value) {
    if (value != 0) always(field, value);
  }
  void always(u32 field, u64 value) {
    put(u64{field} << 3);
    put(value);
  }
  void fixed(u32 field, u64 value) {
    put(u64{field} << 3 | 1);
    put_fixed(value);
  }
  void text(u32 field, std::string_view text) {
    if (!text.empty()) block(field, text);
  }
  // A message, a text that may be empty, or packed numbers.
  void block(u32 field, std::string_view bytes) {
    begin_block(field, bytes.size());
    bytes_ += bytes;
  }
  // A field whose bytes come from elsewhere.
  void begin_block(u32 field, usize size) {
    put(u64{field} << 3 | 2);
    put(size);
  }
  void message(u32 field, const Message& one) { block(field, one.bytes_); }
  template <class Number>
  void packed(u32 field, std::span<const Number> numbers) {
    if (numbers.empty()) return;
    usize size = 0;
    for (const Number number : numbers) size += size_of(static_cast<u64>(number));
    put(u64{field} << 3 | 2);
    put(size);
    for (const Number number : numbers) put(static_cast<u64>(number));
  }
  void packed_fixed(u32 field, std::span<const u64> numbers) {
    if (numbers.empty()) return;
    put(u64{field} << 3 | 2);
    put(numbers.size() * sizeof(u64));
    for (const u64 number : numbers) put_fixed(number);
  }

 private:
  static usize size_of(u64 value) {
    usize size = 1;
    for (; value >= 0x80; value >>= 7) ++size;
    return size;
  }
  void put(u64 value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void put_fixed(u64 value) {
    for (u32 shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }

  std::string bytes_;
};

}  // namespace wperf::text
