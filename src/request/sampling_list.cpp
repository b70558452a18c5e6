// SPDX-License-Identifier: BSD-3-Clause
#include "request/sampling_list.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "request/event_list.h"
#include "request/number.h"

namespace wperf::request {
namespace {

// The number in C notation at the front of `text`. What follows its digits is not looked at: scripts live with that
// since WindowsPerf. `0x` without a digit is no number (contract 14).
std::optional<u64> leading_number(std::string_view text) {
  const bool hexadecimal = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const bool octal = !hexadecimal && text.size() > 1 && text[0] == '0';
  const u32 base = hexadecimal ? 16 : octal ? 8 : 10;
  if (hexadecimal) text.remove_prefix(2);
  usize length = 0;
  while (length < text.size() && parse_digits(text.substr(length, 1), base).has_value()) ++length;
  return parse_digits(text.substr(0, length), base);
}

diag::Result<u32> parse_interval(std::string_view text) {
  const std::optional<u64> interval = leading_number(text);
  if (!interval.has_value()) {
    return diag::contract_error(
        fmt::format("event interval: {} is invalid!\n"
                    "note: an interval is a number: decimal, hexadecimal after 0x, or octal after 0",
                    text));
  }
  if (*interval == 0 || *interval > ~u32{0}) {
    return diag::contract_error(
        fmt::format("event interval: {} is out of range!\nnote: an interval is 1 to {} (0xffffffff)", text, ~u32{0}));
  }
  return static_cast<u32>(*interval);
}

diag::Result<SampledEvent> parse_event(std::string_view token) {
  SampledEvent event;
  const usize colon = token.find(':');
  event.text = std::string(token.substr(0, colon));
  WPERF_TRY(event.number, parse_raw_event(event.text));
  if (colon != std::string_view::npos) {
    WPERF_TRY(event.interval, parse_interval(token.substr(colon + 1)));
  }
  return event;
}

}  // namespace

diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text) {
  std::vector<SampledEvent> events;
  // A comma at the very end separates nothing.
  while (!text.empty()) {
    const usize comma = text.find(',');
    WPERF_TRY(SampledEvent event, parse_event(text.substr(0, comma)));
    events.push_back(std::move(event));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return events;
}

}  // namespace wperf::request
