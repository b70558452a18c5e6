// SPDX-License-Identifier: BSD-3-Clause
// Parses numbers and durations from the command line and from text files. The whole text must be the number; the locale
// has no effect. A value beyond 64 bits is returned as the largest 64-bit value, which the limits of all callers
// refuse.
#pragma once
#include <optional>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// Only digits. Returns nullopt if the text is empty or has another character.
std::optional<u64> parse_decimal(std::string_view text);

// Digits of one base (2 to 16), in upper or lower case, without a prefix.
std::optional<u64> parse_digits(std::string_view text, u32 base);

// C notation: 0x1b, 27, 033.
std::optional<u64> parse_c_number(std::string_view text);

// Parses "12" or "12.345", with at most nine digits on either side; nothing else.
std::optional<double> parse_fraction(std::string_view text);

// `1`, `0.1s`, `2.50h`, `750ms` (contract 2.4). Exact decimal arithmetic, no floating point.
struct Duration {
  u64 milliseconds = 0;
};

// In these functions `option` is the option as the user spelled it, for the error.
diag::Result<u32> parse_number(std::string_view text, std::string_view option, u32 least = 0, u32 greatest = ~u32{0});
diag::Result<Duration> parse_duration(std::string_view text, std::string_view option);

}  // namespace wperf::request
