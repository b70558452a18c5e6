// SPDX-License-Identifier: BSD-3-Clause
// Records and event attributes of the other byte order, turned around in place.
#pragma once
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/ints.h"
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/features.h"

namespace wperf::perf_data {

// Swaps numbers in place, one after the other, each by its width. A step beyond the end fails it for good and swaps
// nothing.
class FieldSwapper {
 public:
  explicit FieldSwapper(std::span<std::byte> bytes) : rest_(bytes) {}

  usize left() const { return rest_.size(); }

  // The number in native order.
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

// A perf_event_attr of `bytes`.
void swap_attributes(std::span<std::byte> bytes);
void swap_feature(Feature feature, std::span<std::byte> bytes);

// Takes the records one after the other. Events from a pipe come as records, too, and are learned here.
class RecordSwapper {
 public:
  RecordSwapper() = default;  // for a pipe
  explicit RecordSwapper(EventTable events) : events_(std::move(events)) {}
  // `rest` begins with a record: swaps it and returns its length with the data that belong to it; 0 if there is no
  // record.
  usize swap_next(std::span<std::byte> rest);
  // The same for a copy of bytes that may not be a record: the known events stay unchanged.
  void swap_copy(std::span<std::byte> record) const;
  const EventTable& events();

 private:
  void swap_body(u32 type, u16 misc, std::span<std::byte> body) const;
  void swap_sample(std::span<std::byte> body) const;
  void swap_kernel_record(u32 type, u16 misc, std::span<std::byte> body) const;
  void swap_trailer(std::span<std::byte> trailer, u64 sample_type) const;
  const EventAttributes* attributes_of(std::span<std::byte> body, usize id_word) const;
  void learn_event(Bytes body);

  EventTable events_;
  std::vector<Event> learnt_;
  bool is_complete_ = true;  // the table has everything learned so far
};

}  // namespace wperf::perf_data
