// SPDX-License-Identifier: BSD-3-Clause
// Text in UTF-16: in escapes of JSON, and as whole files. Pure.
#pragma once
#include <optional>
#include <string>

#include "ground/bytes/bytes.h"

namespace wperf::text {

constexpr bool is_high_half(u32 unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool is_low_half(u32 unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}
constexpr u32 joined_halves(u32 high, u32 low) {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

// Half of a pair becomes U+FFFD.
void append_utf8(std::string& out, u32 code);

// nullopt if the file does not begin with a byte order mark of UTF-16.
std::optional<std::string> utf8_of_utf16(bytes::Span file);

}  // namespace wperf::text
