// SPDX-License-Identifier: BSD-3-Clause
// Swaps numbers in place, one after the other, by the width that each has. A step over the end fails it for good and
// swaps nothing.
#pragma once
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/ints.h"

namespace wperf::perf_data {

class FieldSwapper {
 public:
  explicit FieldSwapper(std::span<std::byte> bytes) : rest_(bytes) {}

  usize left() const { return rest_.size(); }

  // The number, as it stands now.
  template <class T>
  T take() {
    if (rest_.size() < sizeof(T)) {
      rest_ = {};
      return 0;
    }
    T value = 0;
    std::memcpy(&value, rest_.data(), sizeof value);
    value = std::byteswap(value);
    put(rest_, value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  u64 word() { return take<u64>(); }
  void words(u64 count) {
    while (count-- != 0 && left() != 0) word();
  }
  std::span<std::byte> skip(u64 count) {
    if (rest_.size() < count) count = rest_.size();
    const std::span<std::byte> skipped = rest_.first(static_cast<usize>(count));
    rest_ = rest_.subspan(skipped.size());
    return skipped;
  }
  // w, h, q, b: numbers of eight bytes, of four, of two, of one; W: words to the end. The bytes after these stay.
  void fields(std::string_view kinds) {
    for (const char kind : kinds) {
      if (kind == 'w') word();
      if (kind == 'h') take<u32>();
      if (kind == 'q') take<u16>();
      if (kind == 'b') skip(1);
      if (kind == 'W') words(~u64{0});
    }
  }

  template <class T>
  static void put(std::span<std::byte> where, T value) {
    std::memcpy(where.data(), &value, sizeof value);
  }

 private:
  std::span<std::byte> rest_;
};

}  // namespace wperf::perf_data
