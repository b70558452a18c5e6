// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/duration.h"

#include <fmt/format.h>

#include <optional>

#include "model/request/number.h"

namespace wperf::request {
namespace {

struct Unit {
  std::string_view name;
  u64 milliseconds;
};
constexpr Unit kUnits[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// 292 years: the greatest duration in signed 64-bit nanoseconds, so that no later stage can overflow.
constexpr u64 kLongestMs = 9'223'372'036'854;

// Moves the leading digits of `text` into the result.
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

diag::Result<Duration> parse_duration(std::string_view text, std::string_view option) {
  const std::optional<u64> milliseconds = milliseconds_of(text);
  if (milliseconds.has_value()) return Duration{*milliseconds};
  return diag::contract_error(fmt::format("input: \"{}\" to argument '{}' is invalid", text, option));
}

}  // namespace wperf::request
