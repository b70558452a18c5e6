// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/number.h"

namespace wperf::request {
namespace {

constexpr u32 kNoDigit = 99;
constexpr u64 kGreatest = ~u64{0};

u32 digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<u32>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<u32>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<u32>(c - 'A') + 10;
  return kNoDigit;
}

}  // namespace

std::optional<u64> parse_digits(std::string_view text, u32 base) {
  if (text.empty()) return std::nullopt;
  u64 value = 0;
  for (const char c : text) {
    const u32 digit = digit_of(c);
    if (digit >= base) return std::nullopt;
    value = value > (kGreatest - digit) / base ? kGreatest : value * base + digit;
  }
  return value;
}

std::optional<u64> parse_decimal(std::string_view text) {
  return parse_digits(text, 10);
}

std::optional<u64> parse_c_number(std::string_view text) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return parse_digits(text.substr(2), 16);
  if (text.size() > 1 && text[0] == '0') return parse_digits(text.substr(1), 8);
  return parse_decimal(text);
}

std::optional<double> parse_fraction(std::string_view text) {
  const usize point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  constexpr usize kMostDigits = 9;
  if (whole.empty() || whole.size() > kMostDigits || part.size() > kMostDigits) return {};
  double value = 0, unit = 1;
  for (const char c : whole) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + (c - '0');
  }
  for (const char c : part) {
    if (c < '0' || c > '9') return {};
    unit /= 10;
    value += unit * (c - '0');
  }
  return value;
}

}  // namespace wperf::request
