// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads messages in protobuf's encoding, in memory. docs/decisions explains why this is not libprotobuf.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::text {

// Zero and empty fields are left out, as in proto3; always() writes them anyway.
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
  // Writes a message, a text that may be empty, or packed numbers.
  void block(u32 field, std::string_view bytes) {
    begin_block(field, bytes.size());
    bytes_ += bytes;
  }
  // Begins a field whose bytes are written elsewhere.
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

using Bytes = bytes::Span;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The fields of a protobuf message, in order, from bytes that may be damaged. A field beyond the end, a number of more
// than 64 bits or an unknown kind of field ends the reading; sound() is then false.
class ProtobufReader {
 public:
  explicit ProtobufReader(Bytes message) : rest_(message) {}

  // Goes to the next field. Returns false at the end, or if the next bytes are not a field.
  bool next() {
    if (!sound_ || rest_.empty()) return false;
    const u64 tag = take_number();
    field_ = tag >> 3 <= kGreatestField ? static_cast<u32>(tag >> 3) : 0;
    kind_ = static_cast<u32>(tag & 7);
    value_ = {};
    number_ = 0;
    switch (kind_) {
      case kNumber:
        number_ = take_number();
        break;
      case kEightBytes:
        take_bytes(8);
        break;
      case kBytes:
        take_bytes(take_number());
        break;
      case kFourBytes:
        take_bytes(4);
        break;
      default:
        sound_ = false;
    }
    sound_ = sound_ && field_ != 0;
    return sound_;
  }

  u32 field() const { return field_; }
  bool is_number() const { return kind_ == kNumber; }
  bool is_bytes() const { return kind_ == kBytes; }
  u64 number() const { return number_; }  // 0 if the field is not a number
  bool is_negative() const { return (number_ >> 63) != 0; }
  Bytes bytes() const { return kind_ == kBytes ? value_ : Bytes(); }
  std::string_view text() const { return text_of(bytes()); }
  bool sound() const { return sound_; }
  // True if the message is damaged, perhaps only because the bytes end too early.
  bool is_cut() const { return is_cut_; }
  usize left() const { return rest_.size(); }

  // Visits the numbers of a repeated field, which may hold one number or many.
  template <class Visit>
  void for_each_number(Visit visit) {
    if (kind_ == kNumber) return visit(number_);
    ProtobufReader packed(bytes());
    while (packed.sound_ && !packed.rest_.empty()) {
      const u64 number = packed.take_number();
      if (packed.sound_) visit(number);
    }
    sound_ = sound_ && packed.sound_;
  }

 private:
  static constexpr u32 kNumber = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5;
  static constexpr u64 kGreatestField = (u64{1} << 29) - 1;

  u64 take_number() {
    u64 number = 0;
    for (u32 i = 0; i < rest_.size() && i < 10; ++i) {
      const u64 byte = std::to_integer<u64>(rest_[i]);
      if (i == 9 && byte > 1) break;
      number |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        rest_ = rest_.subspan(i + 1);
        return number;
      }
    }
    sound_ = false;
    is_cut_ = rest_.size() < 10;
    return 0;
  }
  void take_bytes(u64 count) {
    if (count > rest_.size()) {
      is_cut_ = sound_;
      sound_ = false;
      return;
    }
    value_ = rest_.first(static_cast<usize>(count));
    rest_ = rest_.subspan(static_cast<usize>(count));
  }

  Bytes rest_, value_;
  u64 number_ = 0;
  u32 field_ = 0, kind_ = kNumber;
  bool sound_ = true, is_cut_ = false;
};

}  // namespace wperf::text
