// SPDX-License-Identifier: BSD-3-Clause
// Moves raw bytes without a C library. Compilers turn these loops into memcpy and memset.
#pragma once
#include "base/ints.h"

namespace wperf {

// The ranges must not overlap.
inline void copy_bytes(void* to, const void* from, usize count) {
  u8* out = static_cast<u8*>(to);
  const u8* in = static_cast<const u8*>(from);
  for (usize i = 0; i < count; ++i) {
    out[i] = in[i];
  }
}

inline void zero_bytes(void* to, usize count) {
  u8* out = static_cast<u8*>(to);
  for (usize i = 0; i < count; ++i) {
    out[i] = 0;
  }
}

// Fills a fixed-size text field: text that does not fit is cut, unused bytes stay zero. The text ends with at least one
// zero.
class TextField {
 public:
  template <usize size>
  explicit TextField(char (&field)[size]) : field_(field), room_(size - 1) {
    zero_bytes(field, size);
  }
  TextField& add(const char* text) {
    for (; *text != '\0' && used_ < room_; ++text) {
      field_[used_++] = *text;
    }
    return *this;
  }

 private:
  char* field_;
  usize room_;
  usize used_ = 0;
};

}  // namespace wperf
