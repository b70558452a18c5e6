// SPDX-License-Identifier: BSD-3-Clause
// Whole-text numbers and durations of the command line and of text files: every character must belong to the number,
// nothing wraps, no locale. A value beyond 64 bits is returned as the greatest value, which every caller's own limit
// refuses.
#pragma once
#include <optional>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// Digits only. nullopt if the text is empty or has another character.
std::optional<u64> parse_decimal(std::string_view text);

// The digits of one base (2 to 16), either case, no prefix.
std::optional<u64> parse_digits(std::string_view text, u32 base);

// C notation: 0x1b, 27, 033.
std::optional<u64> parse_c_number(std::string_view text);

// "12" or "12.345"; nothing else, and no more than nine digits on either side.
std::optional<double> parse_fraction(std::string_view text);

// `1`, `0.1s`, `2.50h`, `750ms` (contract 2.4). Exact decimal arithmetic, no floating point.
struct Duration {
  u64 milliseconds = 0;
};

// `option` is the user's spelling; the error names it.
diag::Result<Duration> parse_duration(std::string_view text, std::string_view option);

}  // namespace wperf::request
