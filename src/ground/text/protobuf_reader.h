// SPDX-License-Identifier: BSD-3-Clause
// The fields of a protobuf message, one after the other, from bytes that may be damaged. A field beyond the end, a
// number of more than 64 bits or an unknown kind of field ends the walk, and sound() reports it.
#pragma once
#include <string_view>

#include "ground/bytes/bytes.h"

namespace wperf::text {

using Bytes = bytes::Span;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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
  // Not sound, but perhaps only because these bytes end before the message does.
  bool is_cut() const { return is_cut_; }
  usize left() const { return rest_.size(); }

  // For a repeated field, which may hold one number or many.
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
