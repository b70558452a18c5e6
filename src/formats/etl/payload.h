// SPDX-License-Identifier: BSD-3-Clause
// Reads the fields of an event's payload one after the other: numbers, addresses of the traced machine, texts, and
// security ids.
#pragma once
#include <string>

#include "formats/etl/event.h"
#include "formats/etl/trace_text.h"

namespace wperf::etl {

class Payload : public bytes::Reader {
 public:
  explicit Payload(const Event& event) : bytes::Reader(event.payload), pointer_size_(event.pointer_size) {}
  u64 pointer() { return pointer_size_ == 4 ? take<u32>() : take<u64>(); }
  void skip_pointers(u32 count) { skip(u64{count} * pointer_size_); }
  std::string wide_text() {
    Bytes left_over = rest();
    std::string text = take_wide_text(left_over);
    static_cast<bytes::Reader&>(*this) = bytes::Reader(left_over);
    return text;
  }
  std::string narrow_text() {
    Bytes left_over = rest();
    std::string text = take_narrow_text(left_over);
    static_cast<bytes::Reader&>(*this) = bytes::Reader(left_over);
    return text;
  }
  // Skips a security id, or the zero that replaces it.
  void skip_sid() {
    if (left() < 4) return fail();
    bytes::Reader ahead(*this);
    if (ahead.take<u32>() == 0) return skip(4);
    skip_pointers(2);
    bytes::Reader sid(*this);
    sid.skip(1);
    const u8 parts = sid.take<u8>();
    if (!sid.sound()) return fail();
    skip(8 + u64{4} * parts);
  }

 private:
  u8 pointer_size_;
};

}  // namespace wperf::etl
