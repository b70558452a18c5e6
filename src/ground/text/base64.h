// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

inline std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  usize to = 0;
  for (usize at = 0; at < bytes.size(); at += 3) {
    const usize left = std::min<usize>(bytes.size() - at, 3);
    u32 word = 0;
    for (usize i = 0; i < 3; ++i) word = word << 8 | (i < left ? static_cast<u8>(bytes[at + i]) : 0u);
    for (usize i = 0; i <= left; ++i) out[to + i] = kDigits[word >> (18 - 6 * i) & 63];
    to += 4;
  }
  return out;
}

}  // namespace wperf::text
