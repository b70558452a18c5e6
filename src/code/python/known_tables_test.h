// SPDX-License-Identifier: BSD-3-Clause
// Interpreters' tables of offsets, for tests: all numbers after the cookie, as they are in the memory of Debian's
// builds for amd64.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "code/python/debug_offsets.h"
#include "code/python/layout.h"

namespace wperf::python {

// 3.13.5, 3.14.10 and 3.15.2.
inline constexpr u64 kTable313[] = {
    0x30d05f0, 0,   283376, 608, 632, 194976, 7272, 7264, 7344, 7400, 7656, 7640, 7648, 16, 7752, 0,   7768, 7760,
    304,       0,   8,      16,  72,  152,    160,  232,  32,   80,   8,    0,    56,   72, 70,   208, 112,  120,
    128,       136, 68,     52,  96,  104,    200,  16,   8,    416,  24,   88,   168,  32, 24,   16,  40,   24,
    16,        48,  32,     40,  24,  16,     32,   16,   24,   40,   16,   32,   64,   32, 16,   40,  240,  200};
inline constexpr u64 kTable314[] = {
    0x30e0af0, 0,    316616, 784,  808, 225864, 7280, 7272, 7344, 7360, 7408, 7688, 7672, 7680, 16,  7784,
    0,         7800, 7792,   7992, 0,   832,    0,    8,    16,   72,   152,  160,  232,  32,   88,  8,
    0,         56,   80,     74,   64,  0,      216,  112,  120,  128,  136,  68,   52,   96,   104, 208,
    0,         16,   8,      416,  24,  88,     168,  40,   32,   16,   40,   24,   16,   200,  24,  40,
    32,        48,   32,     40,   24,  16,     32,   16,   24,   40,   16,   32,   64,   32,   16,  40,
    264,       192,  160,    24,   72,  67,     0,    8,    24,   304,  8076, 0,    4,    512};
inline constexpr u64 kTable315[] = {
    0x30f02f0, 0,    346568, 912,  936, 226240, 7272, 7264, 7336, 7352, 7400, 7592, 7576, 7584, 16,  7736,
    0,         7752, 7744,   7944, 0,   888,    0,    8,    16,   72,   80,   88,   96,   176,  184, 256,
    32,        36,   40,     136,  288, 0,      88,   8,    0,    56,   80,   74,   64,   0,    216, 112,
    120,       128,  136,    68,   52,  96,     104,  208,  0,    16,   8,    424,  24,   88,   168, 32,
    288,       944,  888,    40,   32,  16,     40,   24,   16,   200,  24,   40,   32,   48,   32,  40,
    24,        16,   32,     16,   24,  40,     16,   32,   64,   32,   16,   40,   56,   176,  112, 120,
    1120,      104,  160,    24,   72,  67,     0,    8,    24,   344,  8028, 0,    4,    512};

inline std::vector<std::byte> table_bytes(std::span<const u64> numbers) {
  constexpr std::string_view kBegin = "xdebugpy";
  std::vector<std::byte> bytes(kBegin.size() + numbers.size_bytes());
  std::memcpy(bytes.data(), kBegin.data(), kBegin.size());
  std::memcpy(bytes.data() + kBegin.size(), numbers.data(), numbers.size_bytes());
  return bytes;
}

// The first bytes of that minor version's runtime; empty if it has no table.
inline std::vector<std::byte> known_table(int minor) {
  switch (minor) {
    case 13:
      return table_bytes(kTable313);
    case 14:
      return table_bytes(kTable314);
    case 15:
      return table_bytes(kTable315);
    default:
      return {};
  }
}
inline Layout known_layout(int minor) {
  if (minor >= 13) return parse_debug_offsets(known_table(minor)).value();
  return layout_of_version(minor == 11 ? 0x030b02f0 : 0x030c01f0).value();
}

}  // namespace wperf::python
