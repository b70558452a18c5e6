// SPDX-License-Identifier: BSD-3-Clause
// Views of a file's bytes that may be damaged: the only place of this room that touches raw memory, and the place where
// every bound is checked. Reading past an end yields "no", never a byte. All numbers of the format are little-endian,
// as is every machine wperf runs on.
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

namespace wperf::symbols::pdb {

static_assert(std::endian::native == std::endian::little);

class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::span<const std::byte> bytes) : data_(bytes.data()), size_(bytes.size()) {}

  u64 size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::byte* data() const { return data_; }
  bool holds(u64 offset, u64 count) const { return offset <= size_ && count <= size_ - offset; }

  // The part that is asked for and there: shorter than `count`, even empty, where the end is near.
  Bytes slice(u64 offset, u64 count) const {
    Bytes part;
    if (offset <= size_) {
      part.data_ = data_ + offset;
      part.size_ = std::min(count, size_ - offset);
    }
    return part;
  }
  Bytes from(u64 offset) const { return slice(offset, size_); }

  // `out` is written only when all of it is there.
  template <typename T>
  bool load(u64 offset, T& out) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!holds(offset, sizeof(T))) return false;
    std::memcpy(&out, data_ + offset, sizeof(T));
    return true;
  }

  // The text at `offset` up to its zero; nothing when the zero is missing.
  std::optional<std::string_view> text(u64 offset) const {
    if (offset >= size_) return std::nullopt;
    const std::byte* begin = data_ + offset;
    const void* zero = std::memchr(begin, 0, size_ - offset);
    if (zero == nullptr) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(begin),
                            static_cast<usize>(static_cast<const std::byte*>(zero) - begin));
  }

 private:
  const std::byte* data_ = nullptr;
  u64 size_ = 0;
};

// Equal items side by side, read one by one: the file promises no alignment.
template <typename T>
class Table {
 public:
  Table() = default;
  explicit Table(Bytes bytes) : bytes_(bytes), size_(bytes.size() / sizeof(T)) {}
  u64 size() const { return size_; }
  T at(u64 index) const {  // beyond the end: zeros
    T item{};
    bytes_.load(index * sizeof(T), item);
    return item;
  }
  // The first index in [0, size) for which `is_before(item)` does not hold; the items must be sorted that way.
  template <typename Predicate>
  u64 partition_point(Predicate is_before) const {
    u64 low = 0;
    u64 high = size_;
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (is_before(at(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  Bytes bytes_;
  u64 size_ = 0;
};

}  // namespace wperf::symbols::pdb
