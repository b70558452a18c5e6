// SPDX-License-Identifier: BSD-3-Clause
// Bytes as hexadecimal digits, two for each: 0x1f, 0x2e ⇄ "1f2e".
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::bytes {

inline std::string hexadecimal(Span bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte one : bytes) {
    text += "0123456789abcdef"[std::to_integer<u32>(one) >> 4];
    text += "0123456789abcdef"[std::to_integer<u32>(one) & 0xf];
  }
  return text;
}

// Returns an empty vector if a digit is malformed. A last digit without a second one is left out.
inline std::vector<std::byte> bytes_of_digits(std::string_view digits) {
  std::vector<std::byte> bytes;
  for (usize i = 0; i + 1 < digits.size(); i += 2) {
    u8 value = 0;
    const char* const end = digits.data() + i + 2;
    if (std::from_chars(end - 2, end, value, 16).ptr != end) return {};
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

}  // namespace wperf::bytes
