// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/number_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace wperf::text {

std::string with_commas(u64 value) {
  char buffer[26];  // 20 digits and 6 commas
  usize at = sizeof buffer;
  int digits = 0;
  do {
    if (digits != 0 && digits % 3 == 0) buffer[--at] = ',';
    buffer[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
    ++digits;
  } while (value != 0);
  return {buffer + at, sizeof buffer - at};
}

std::string times(u64 count) {
  return count == 1 ? "once" : with_commas(count) + " times";
}

std::string counted(u64 count, std::string_view thing) {
  return fmt::format("{} {}{}", with_commas(count), thing, count == 1 ? "" : "s");
}

std::string hex(u64 value, int digits) {
  return fmt::format("0x{:0{}x}", value, digits);
}

std::string fixed(double value, int decimals) {
  return fmt::format("{:.{}f}", std::isfinite(value) ? value : 0.0, decimals);
}

double percent_of(u64 part, u64 whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string share(double part, double whole) {
  return whole == 0 ? "0 %" : fixed(100 * part / whole, 1) + " %";
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) seconds = 0;
  if (seconds < 0.0995) return fixed(seconds * 1e3, 1) + " ms";
  if (seconds < 0.9995) return fixed(seconds * 1e3, 0) + " ms";
  return fixed(seconds, seconds < 9.9995 ? 3 : 1) + " s";
}

std::string scaled_number(double value) {
  constexpr std::string_view kPrefixes[] = {"", " K", " M", " G", " T", " P", " E"};
  if (!std::isfinite(value) || value < 0) value = 0;
  usize prefix = 0;
  for (; value >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  const int decimals = value >= 99.5 || value == 0 ? 0 : value >= 9.95 ? 1 : 2;
  return fixed(value, decimals).append(kPrefixes[prefix]);
}

u64 whole_count(double value) {
  constexpr u64 kGreatest = ~u64{0} >> 1;
  if (!(value > 0)) return 0;
  return value < static_cast<double>(kGreatest) ? static_cast<u64>(value) : kGreatest;
}

std::string elapsed(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) seconds = 0;
  // Never uses an exponent, which readers of this line do not understand.
  int decimals = 5;
  for (double limit = 10; decimals > 0 && seconds >= limit; limit *= 10) --decimals;
  for (double limit = 1; decimals < 9 && seconds > 0 && seconds < limit; limit /= 10) ++decimals;
  std::string text = fmt::format("{:.{}f}", seconds, decimals);
  if (decimals == 0) return text + ".0";
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

}  // namespace wperf::text
