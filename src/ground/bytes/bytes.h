// SPDX-License-Identifier: BSD-3-Clause
// Bytes of files and requests that may be damaged. All readers of formats use this file: only it touches raw memory,
// and it checks every bound. A read past the end returns nothing. Formats do not guarantee alignment, so nothing is
// read through a cast. Numbers are little-endian, like every machine that wperf runs on.
//
// A View reads at offsets, a Reader walks forward through fields.
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

namespace wperf::bytes {

static_assert(std::endian::native == std::endian::little);

using Span = std::span<const std::byte>;

// The part of [offset, offset + count) that exists: shorter than `count` near the end, empty beyond it.
inline Span slice(Span bytes, u64 offset, u64 count) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(static_cast<usize>(offset), static_cast<usize>(std::min<u64>(count, bytes.size() - offset)));
}

inline Span from(Span bytes, u64 offset) {
  return slice(bytes, offset, bytes.size());
}

// A number, or a struct of numbers. `out` is written only if all bytes exist.
template <typename T>
[[nodiscard]] bool read_at(Span bytes, u64 offset, T& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

// The characters up to the first zero byte; nullopt if the zero is missing.
inline std::optional<std::string_view> ended_text(Span field) {
  if (field.empty()) return std::nullopt;
  const auto* const begin = reinterpret_cast<const char*>(field.data());
  const void* const zero = std::memchr(begin, 0, field.size());
  if (zero == nullptr) return std::nullopt;
  return std::string_view(begin, static_cast<usize>(static_cast<const char*>(zero) - begin));
}

// Like ended_text(), but returns the whole field if the zero is missing.
inline std::string_view text_in(Span field) {
  return ended_text(field).value_or(std::string_view(reinterpret_cast<const char*>(field.data()), field.size()));
}

class View {
 public:
  View() = default;
  explicit View(Span bytes) : data_(bytes.data()), size_(bytes.size()) {}

  u64 size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::byte* data() const { return data_; }
  Span span() const { return {data_, static_cast<usize>(size_)}; }
  bool holds(u64 offset, u64 count) const { return offset <= size_ && count <= size_ - offset; }

  // The part of the requested bytes that exists.
  View slice(u64 offset, u64 count) const {
    View part;
    if (offset <= size_) {
      part.data_ = data_ + offset;
      part.size_ = std::min(count, size_ - offset);
    }
    return part;
  }
  View from(u64 offset) const { return slice(offset, size_); }

  template <typename T>
  [[nodiscard]] bool load(u64 offset, T& out) const {
    return read_at(span(), offset, out);
  }
  // The text at `offset` up to its zero; nullopt if there is no zero within `limit`.
  std::optional<std::string_view> text(u64 offset, u64 limit = ~u64{0}) const {
    return ended_text(slice(offset, limit).span());
  }

 private:
  const std::byte* data_ = nullptr;
  u64 size_ = 0;
};

// Items of equal size, one after the other.
template <typename T>
class Table {
 public:
  Table() = default;
  explicit Table(View bytes) : bytes_(bytes), size_(bytes.size() / sizeof(T)) {}
  u64 size() const { return size_; }
  T at(u64 index) const {  // beyond the end: zeros
    T item{};
    static_cast<void>(bytes_.load(index * sizeof(T), item));
    return item;
  }
  // The first index in [0, size) for which `is_before(item)` is false. The items for which it is true must precede all
  // others.
  template <typename Predicate>
  u64 partition_point(Predicate is_before) const {
    u64 low = 0, high = size_;
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
  View bytes_;
  u64 size_ = 0;
};

// 64-bit numbers, one after the other.
class Words {
 public:
  Words() = default;
  explicit Words(Span bytes) : bytes_(bytes) {}
  usize size() const { return bytes_.size() / sizeof(u64); }
  bool empty() const { return size() == 0; }
  Span bytes() const { return bytes_.first(size() * sizeof(u64)); }
  u64 operator[](usize index) const {  // beyond the end: zero
    u64 word = 0;
    if (index < size()) std::memcpy(&word, bytes_.data() + index * sizeof word, sizeof word);
    return word;
  }

 private:
  Span bytes_;
};

// After a step beyond the end, all reads fail and return zeros, so a function can read everything and then check once.
class Reader {
 public:
  explicit Reader(Span bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool sound() const { return sound_; }
  usize left() const { return static_cast<usize>(end_ - at_); }
  const std::byte* at() const { return at_; }

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

  Span bytes(u64 count) {
    if (left() < count) {
      fail();
      return {};
    }
    const Span part(at_, static_cast<usize>(count));
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
  // Up to a zero within `limit` bytes; the zero is skipped, too.
  std::string_view text(u64 limit = ~u64{0}) {
    const auto found = ended_text(slice({at_, left()}, 0, limit));
    if (!found.has_value()) {
      fail();
      return {};
    }
    at_ += found->size() + 1;
    return *found;
  }
  Span rest() { return bytes(left()); }
  void skip(u64 count) { static_cast<void>(bytes(count)); }

  void fail() {
    sound_ = false;
    at_ = end_;
  }

 private:
  bool sound_ = true;

 protected:
  const std::byte* at_;
  const std::byte* end_;
};

}  // namespace wperf::bytes
