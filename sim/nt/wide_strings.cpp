// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/wide_strings.h"

#include <algorithm>
#include <iterator>

#include "sim/nt/letter_cases.h"

namespace wperf::sim {
namespace {

constexpr u32 kReplacement = 0xfffd, kFirstBehind16Bits = 0x10000, kLast = 0x10ffff;
constexpr u32 kHighSurrogates = 0xd800, kLowSurrogates = 0xdc00, kBehindSurrogates = 0xe000;

bool is_surrogate(u32 point) {
  return point >= kHighSurrogates && point < kBehindSurrogates;
}

bool is_continuation(char unit) {
  return (static_cast<u8>(unit) & 0xc0u) == 0x80;
}

// Removes and returns the next character. `utf8` is not empty and loses at least one byte.
u32 take_point(std::string_view& utf8) {
  const u8 lead = static_cast<u8>(utf8.front());
  utf8.remove_prefix(1);
  if (lead < 0x80) return lead;
  const usize more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || utf8.size() < more) return kReplacement;
  u32 point = lead & (0x3fu >> more);
  for (usize i = 0; i < more; ++i) {
    if (!is_continuation(utf8[i])) return kReplacement;
    point = point << 6 | (static_cast<u8>(utf8[i]) & 0x3fu);
  }
  static constexpr u32 kLeast[] = {0, 0x80, 0x800, kFirstBehind16Bits};
  if (point < kLeast[more] || point > kLast || is_surrogate(point)) return kReplacement;
  utf8.remove_prefix(more);
  return point;
}

void put_point(std::string& out, u32 point) {
  const auto rest = [&](u32 shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | point >> 6);
    rest(0);
  } else if (point < kFirstBehind16Bits) {
    out += static_cast<char>(0xe0 | point >> 12);
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xf0 | point >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

u32 small_point(u32 point) {
  return point < kFirstBehind16Bits ? small_letter(static_cast<u16>(point)) : point;
}

}  // namespace

std::vector<u16> to_utf16(std::string_view utf8) {
  std::vector<u16> out;
  while (!utf8.empty()) {
    const u32 point = take_point(utf8);
    if (point < kFirstBehind16Bits) {
      out.push_back(static_cast<u16>(point));
      continue;
    }
    out.push_back(static_cast<u16>(kHighSurrogates + ((point - kFirstBehind16Bits) >> 10)));
    out.push_back(static_cast<u16>(kLowSurrogates + (point & 0x3ff)));
  }
  return out;
}

std::string to_utf8(std::span<const u16> utf16) {
  std::string out;
  for (usize i = 0; i < utf16.size(); ++i) {
    u32 point = utf16[i];
    if (is_surrogate(point)) {
      const bool pair = point < kLowSurrogates && i + 1 < utf16.size() && utf16[i + 1] >= kLowSurrogates &&
                        utf16[i + 1] < kBehindSurrogates;
      point = pair ? kFirstBehind16Bits + ((point & 0x3ff) << 10 | (utf16[++i] & 0x3ff)) : kReplacement;
    }
    put_point(out, point);
  }
  return out;
}

u16 small_letter(u16 unit) {
  if (unit < 0x80) return unit >= 'A' && unit <= 'Z' ? static_cast<u16>(unit - 'A' + 'a') : unit;
  const auto* const range = std::ranges::lower_bound(kCapitalLetters, unit, {}, &CapitalLetters::last);
  if (range == std::end(kCapitalLetters) || unit < range->first || (unit - range->first) % range->step != 0)
    return unit;
  return static_cast<u16>(unit + range->to_small);
}

bool same_ignoring_case(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const u32 one = take_point(left), other = take_point(right);
    if (one != other && small_point(one) != small_point(other)) return false;
  }
  return left.empty() && right.empty();
}

std::string in_lower_case(std::string_view text) {
  std::string out;
  while (!text.empty()) put_point(out, small_point(take_point(text)));
  return out;
}

}  // namespace wperf::sim
