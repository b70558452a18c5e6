// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/extra_events.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace wperf::pmu {
namespace {

constexpr struct {
  std::string_view prefix;
  EventClass event_class;
} kPrefixes[] = {
    {"/dsu/", EventClass::dsu}, {"/dmc_clk/", EventClass::dmc_clk}, {"/dmc_clkdiv2/", EventClass::dmc_clkdiv2}};

diag::Error refusal(const char* what, std::string_view token) {
  return diag::contract_error(std::string(what) + " in " + std::string(token));
}

diag::Error quoted_refusal(const char* what, std::string_view text) {
  return diag::contract_error(std::string(what) + " in '" + std::string(text) + "'");
}

EventClass take_prefix(std::string& name) {
  for (const auto& known : kPrefixes) {
    if (!name.starts_with(known.prefix)) continue;
    name.erase(0, known.prefix.size());
    return known.event_class;
  }
  return EventClass::core;
}

// Returns -1 unless `letter` is a hexadecimal digit in lower case.
int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

diag::Result<u16> parse_code(std::string_view text, std::string_view token) {
  std::string digits = in_lower_case(std::string(text));
  if (digits.starts_with("0x")) digits.erase(0, 2);
  if (digits.empty()) return diag::contract_error("missing extra event value after ':' in " + std::string(token));
  u32 value = 0;
  for (const char letter : digits) {
    const int digit = hex_digit(letter);
    if (digit < 0)
      return diag::contract_error("extra event value is not a hexadecimal number in " + std::string(token));
    value = value > 0xffff ? value : value * 16 + static_cast<u32>(digit);
  }
  if (value > 0xffff) return refusal("extra event value out of range", token);
  return static_cast<u16>(value);
}

diag::Result<ExtraEvent> parse_token(std::string_view token) {
  const usize colon = token.find(':');
  if (colon == std::string_view::npos) return refusal("missing extra event delimeter ':'", token);
  if (token.find(':', colon + 1) != std::string_view::npos) return refusal("too many delimeters", token);
  WPERF_TRY(const u16 code, parse_code(token.substr(colon + 1), token));
  std::string name = in_lower_case(std::string(token.substr(0, colon)));
  const EventClass event_class = take_prefix(name);
  if (name.empty()) return refusal("missing extra event name before ':'", token);
  if (name.find('/') != std::string::npos) return refusal("unknown event class prefix", token);
  return ExtraEvent{.event_class = event_class, .name = std::move(name), .code = code};
}

const ExtraEvent* find_name(const std::vector<ExtraEvent>& events, EventClass event_class, std::string_view name) {
  for (const ExtraEvent& event : events) {
    if (event.event_class == event_class && event.name == name) return &event;
  }
  return nullptr;
}

const ExtraEvent* find_code(const std::vector<ExtraEvent>& events, EventClass event_class, u16 code) {
  for (const ExtraEvent& event : events) {
    if (event.event_class == event_class && event.code == code) return &event;
  }
  return nullptr;
}

}  // namespace

// If the text has an error, none of its events is registered.
diag::Result<void> ExtraEvents::parse(std::string_view text) {
  if (text.empty()) return diag::contract_error("nothing to parse!");
  if (text.find_first_of(" \t\r\n\v\f") != std::string_view::npos) {
    return quoted_refusal("whitespace not allowed in extra event string", text);
  }
  std::vector<ExtraEvent> events = events_;
  usize begin = 0;
  while (begin <= text.size()) {
    const usize comma = std::min(text.find(',', begin), text.size());
    const std::string_view token = text.substr(begin, comma - begin);
    if (token.empty()) return quoted_refusal("empty token", text);
    WPERF_TRY(ExtraEvent event, parse_token(token));
    const ExtraEvent* twin = find_name(events, event.event_class, event.name);
    if (twin != nullptr && twin->code != event.code) return refusal("two values for one extra event", token);
    if (find_code(events, event.event_class, event.code) == nullptr) events.push_back(std::move(event));
    begin = comma + 1;
  }
  events_ = std::move(events);
  return {};
}

void ExtraEvents::add_raw(EventClass event_class, u16 code) {
  if (find(event_class, code) != nullptr) return;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name = "r";
  bool leading = true;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const u32 digit = static_cast<u32>(code) >> shift & 0xf;
    leading = leading && digit == 0 && shift > 0;
    if (!leading) name += kDigits[digit];
  }
  events_.push_back({.event_class = event_class, .name = std::move(name), .code = code});
}

const ExtraEvent* ExtraEvents::find(EventClass event_class, std::string_view exact_name) const {
  return find_name(events_, event_class, exact_name);
}

const ExtraEvent* ExtraEvents::find(EventClass event_class, u16 code) const {
  return find_code(events_, event_class, code);
}

}  // namespace wperf::pmu
