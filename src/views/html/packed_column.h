// SPDX-License-Identifier: BSD-3-Clause
// One column of the page's data: numbers as varints, the low bits first (docs/design/html.md).
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::html {

struct Column {
  std::string_view name;
  std::string bytes = {};
  u64 count = 0;

  void add(u64 value) {
    ++count;
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  // Modulo 2^64: small numbers of both signs become small.
  void add_signed(u64 value) { add((value << 1) ^ (u64{0} - (value >> 63))); }
};

}  // namespace wperf::html
