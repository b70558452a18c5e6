// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/number.h"

#include <fmt/format.h>

#include <optional>

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

struct Unit {
  std::string_view name;
  u64 milliseconds;
};
constexpr Unit kUnits[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// 292 years: the longest duration in signed 64-bit nanoseconds. With this limit no later stage can overflow.
constexpr u64 kLongestMs = 9'223'372'036'854;

// Removes and returns the leading digits of `text`.
std::string_view take_digits(std::string_view& text) {
  usize length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

std::optional<u64> milliseconds_of(std::string_view text) {
  const std::string_view whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole[0] == '0')) return std::nullopt;
  std::string_view fraction;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty() || fraction.size() > 2) return std::nullopt;
  }
  const std::optional<u64> integer = parse_decimal(whole);
  if (!integer.has_value() || *integer > kLongestMs) return std::nullopt;
  u64 hundredths = *integer * 100;
  if (!fraction.empty()) hundredths += *parse_decimal(fraction) * (fraction.size() == 1 ? 10 : 1);
  for (const Unit& unit : kUnits) {
    if (unit.name != text) continue;
    if (hundredths / 100 > kLongestMs / unit.milliseconds) return std::nullopt;
    const u64 milliseconds = hundredths * unit.milliseconds / 100;
    return hundredths != 0 && milliseconds == 0 ? 1 : milliseconds;  // 0 would mean "endless"
  }
  return std::nullopt;
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

diag::Result<u32> parse_number(std::string_view text, std::string_view option, u32 least, u32 greatest) {
  const std::optional<u64> number = parse_decimal(text);
  if (number.has_value() && *number >= least && *number <= greatest) return static_cast<u32>(*number);
  return diag::usage_error(fmt::format("invalid value '{}' for {}", text, option),
                           fmt::format("use a number from {} to {}", least, greatest));
}

diag::Result<Duration> parse_duration(std::string_view text, std::string_view option) {
  const std::optional<u64> milliseconds = milliseconds_of(text);
  if (milliseconds.has_value()) return Duration{*milliseconds};
  diag::Error error = diag::contract_error(fmt::format("input: \"{}\" to argument '{}' is invalid", text, option));
  const std::string with_digit = fmt::format("0{}", text);
  if (text.starts_with('.') && milliseconds_of(with_digit).has_value())
    error.hint = fmt::format("a digit is needed before the point: {}", with_digit);
  constexpr usize kMostDecimals = 2;
  const usize end_of_two = std::min(text.find('.'), text.size() - 1) + 1 + kMostDecimals;
  const usize unit = std::min(text.find_first_not_of("0123456789", end_of_two), text.size());
  if (end_of_two < unit && milliseconds_of(fmt::format("{}{}", text.substr(0, end_of_two), text.substr(unit))))
    error.hint = "at most two digits may follow the point; ms is a smaller unit, as in 123ms";
  return error;
}

}  // namespace wperf::request
