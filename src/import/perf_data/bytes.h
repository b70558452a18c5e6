// SPDX-License-Identifier: BSD-3-Clause
// Views of a perf.data file that may be damaged, the only place of this room that touches raw memory. A Reader walks
// forward through a few fields; a step over the end fails it for good and yields zeros, so that a function reads all it
// wants and asks once whether that was sound. The format promises no alignment, so nothing is read through a cast.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/ints.h"

namespace wperf::perf_data {

static_assert(std::endian::native == std::endian::little, "numbers are read as they stand in a little-endian file");

using Bytes = std::span<const std::byte>;

// What is there of the asked-for part: shorter than `count`, even empty, where the end is near.
inline Bytes slice(Bytes bytes, u64 offset, u64 count) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(static_cast<usize>(offset), static_cast<usize>(std::min<u64>(count, bytes.size() - offset)));
}

// The characters up to the first zero byte, or all of them.
inline std::string_view text_in(Bytes field) {
  if (field.empty()) return {};
  const auto* begin = reinterpret_cast<const char*>(field.data());
  const void* zero = std::memchr(begin, 0, field.size());
  return {begin, zero == nullptr ? field.size() : static_cast<usize>(static_cast<const char*>(zero) - begin)};
}

// 64-bit numbers side by side.
class Words {
 public:
  Words() = default;
  explicit Words(Bytes bytes) : bytes_(bytes) {}
  usize size() const { return bytes_.size() / sizeof(u64); }
  bool empty() const { return size() == 0; }
  Bytes bytes() const { return bytes_.first(size() * sizeof(u64)); }
  u64 operator[](usize index) const {  // beyond the end: zero
    u64 word = 0;
    if (index < size()) std::memcpy(&word, bytes_.data() + index * sizeof word, sizeof word);
    return word;
  }

 private:
  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(Bytes bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool sound() const { return sound_; }
  usize left() const { return static_cast<usize>(end_ - at_); }

  template <class T>
  T take() {
    static_assert(std::has_unique_object_representations_v<T>);
    T value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  u64 word() { return take<u64>(); }

  Bytes bytes(u64 count) {
    if (left() < count) {
      fail();
      return {};
    }
    const Bytes part(at_, static_cast<usize>(count));
    at_ += count;
    return part;
  }
  Words words(u64 count) {
    if (count > left() / sizeof(u64)) {
      fail();
      return {};
    }
    return Words(bytes(count * sizeof(u64)));
  }
  Bytes rest() { return bytes(left()); }
  void skip(u64 count) { static_cast<void>(bytes(count)); }

  void fail() {
    sound_ = false;
    at_ = end_;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool sound_ = true;
};

}  // namespace wperf::perf_data
