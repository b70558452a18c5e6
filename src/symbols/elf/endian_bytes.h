// SPDX-License-Identifier: BSD-3-Clause
// Views of a file's bytes that may be damaged, in the byte order of the file: the only place of elf/ and dwarf/ that
// touches raw memory, and where every bound is checked. Reading past an end yields nothing, never a byte.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/ints.h"

namespace wperf::symbols {

using ByteSpan = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little);

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
  EndianBytes(ByteSpan bytes, bool big_endian) : data_(bytes.data()), size_(bytes.size()), swap_(big_endian) {}

  u64 size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::byte* data() const { return data_; }
  bool big_endian() const { return swap_; }
  ByteSpan span() const { return {data_, static_cast<usize>(size_)}; }
  bool holds(u64 offset, u64 count) const { return offset <= size_ && count <= size_ - offset; }

  // The part that is asked for and there: shorter than `count`, even empty, where the end is near.
  EndianBytes slice(u64 offset, u64 count) const {
    EndianBytes part;
    part.swap_ = swap_;
    if (offset <= size_) {
      part.data_ = data_ + offset;
      part.size_ = std::min(count, size_ - offset);
    }
    return part;
  }
  EndianBytes from(u64 offset) const { return slice(offset, size_); }

  // `out` is written only when all of it is there.
  template <typename T>
  bool load(u64 offset, T& out) const {
    if (!holds(offset, sizeof(T))) return false;
    T value;
    std::memcpy(&value, data_ + offset, sizeof(T));
    out = swap_ ? byte_swapped(value) : value;
    return true;
  }
  template <typename T>
  T at_or_zero(u64 offset) const {
    T value = 0;
    load(offset, value);
    return value;
  }

  // The text at `offset` up to its zero; nothing when the zero is missing. Texts beyond any real name count as damage:
  // a table of a million names without a zero would take forever.
  std::optional<std::string_view> text(u64 offset) const {
    constexpr u64 kLongestText = 1 << 16;
    if (offset >= size_) return std::nullopt;
    const std::byte* begin = data_ + offset;
    const void* zero = std::memchr(begin, 0, static_cast<usize>(std::min(size_ - offset, kLongestText)));
    if (zero == nullptr) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(begin),
                            static_cast<usize>(static_cast<const std::byte*>(zero) - begin));
  }

 private:
  const std::byte* data_ = nullptr;
  u64 size_ = 0;
  bool swap_ = false;
};

}  // namespace wperf::symbols
