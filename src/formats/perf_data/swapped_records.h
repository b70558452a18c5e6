// SPDX-License-Identifier: BSD-3-Clause
// Swaps records and event attributes of the other byte order in place.
#pragma once
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/ints.h"
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/features.h"

namespace wperf::perf_data {

// Swaps consecutive numbers of given widths in place. A step beyond the end swaps nothing, and all later steps fail.
class FieldSwapper {
 public:
  explicit FieldSwapper(std::span<std::byte> bytes) : rest_(bytes) {}

  usize left() const { return rest_.size(); }

  // Swaps the next number and returns it in native order.
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
  // w, h, q, b: a number of eight, four, two or one byte; W: words up to the end. Bytes after these fields are not
  // changed.
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

// Swaps the perf_event_attr in `bytes`.
void swap_attributes(std::span<std::byte> bytes);
void swap_feature(Feature feature, std::span<std::byte> bytes);

// Takes the records in order. Events from a pipe are records, too, and are learned here.
class RecordSwapper {
 public:
  RecordSwapper() = default;  // for a file from a pipe
  explicit RecordSwapper(EventTable events) : events_(std::move(events)) {}
  // Swaps the record at the beginning of `rest`. Returns its length, including the data that belongs to it; 0 if there
  // is no record.
  usize swap_next(std::span<std::byte> rest);
  // Swaps a copy of bytes that may not be a record; learns no events from it.
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
  bool is_complete_ = true;  // the table has all events learned so far
};

}  // namespace wperf::perf_data
