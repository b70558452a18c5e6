// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file with numbers in the file's byte order.
#pragma once
#include "ground/bytes/bytes.h"

namespace wperf::symbols {

using Bytes = bytes::Span;

template <typename T>
T byte_swapped(T value) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

class EndianBytes {
 public:
  EndianBytes() = default;
  EndianBytes(Bytes bytes, bool big_endian) : view_(bytes), swap_(big_endian) {}

  u64 size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const std::byte* data() const { return view_.data(); }
  bool big_endian() const { return swap_; }
  Bytes span() const { return view_.span(); }
  bool holds(u64 offset, u64 count) const { return view_.holds(offset, count); }
  EndianBytes slice(u64 offset, u64 count) const { return {view_.slice(offset, count).span(), swap_}; }
  EndianBytes from(u64 offset) const { return {view_.from(offset).span(), swap_}; }

  // `out` is written only if all bytes exist.
  template <typename T>
  bool load(u64 offset, T& out) const {
    if (!view_.load(offset, out)) return false;
    if (swap_) out = byte_swapped(out);
    return true;
  }
  template <typename T>
  T at_or_zero(u64 offset) const {
    T value = 0;
    load(offset, value);
    return value;
  }

  // A text longer than any real name counts as damage; a table of a million names without a zero would take forever.
  std::optional<std::string_view> text(u64 offset) const {
    constexpr u64 kLongestText = 1 << 16;
    return view_.text(offset, kLongestText);
  }

 private:
  bytes::View view_;
  bool swap_ = false;
};

}  // namespace wperf::symbols
