// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/push_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "ground/text/word_list.h"
#include "model/request/number.h"

namespace wperf::request {
namespace {

constexpr usize kLongestName = 128, kLongestValue = 1024;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_label_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

diag::Result<PushTarget> parse_push_target(std::string_view name) {
  if (const auto number = text::number_of_word(kPushTargets, name); number.has_value())
    return static_cast<PushTarget>(*number);
  return diag::usage_error(fmt::format("unknown kind of server '{}' for --to", name),
                           "servers: " + text::with_commas_between(kPushTargets));
}

diag::Result<PushLabel> parse_push_label(std::string_view text) {
  const usize equals = text.find('=');
  if (equals == std::string_view::npos || !is_label_name(text.substr(0, equals))) {
    return diag::usage_error(
        fmt::format("invalid label '{}'", text),
        "use --label NAME=VALUE; a name consists of letters, digits and _, and does not start with a digit");
  }
  const std::string_view value = text.substr(equals + 1);
  const bool is_plain = std::none_of(value.begin(), value.end(), [](char c) { return static_cast<u8>(c) < ' '; });
  if (!value.empty() && value.size() <= kLongestValue && is_plain) {
    return PushLabel{std::string(text.substr(0, equals)), std::string(value)};
  }
  return diag::usage_error(fmt::format("the label '{}' has a value that servers do not accept", text.substr(0, equals)),
                           fmt::format("use 1 to {} bytes without line breaks", kLongestValue));
}

diag::Result<u64> parse_byte_limit(std::string_view text, std::string_view option) {
  u32 shift = 20;
  std::string_view digits = text;
  if (!digits.empty() && !is_digit(digits.back())) {
    constexpr std::string_view kPrefixes = "KMG";
    const usize unit = kPrefixes.find(digits.back());
    shift = unit == std::string_view::npos ? 64 : static_cast<u32>(10 * (unit + 1));
    digits.remove_suffix(1);
  }
  const std::optional<u64> number = parse_decimal(digits);
  constexpr u64 kMost = u64{1} << 40;
  if (shift < 64 && number.has_value() && *number != 0 && *number <= kMost >> shift) return *number << shift;
  return diag::usage_error(fmt::format("invalid size '{}' for {}", text, option),
                           "use a number with K, M or G, such as 64M");
}

}  // namespace wperf::request
