// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/fleet_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "model/request/number.h"
#include "model/request/push_request.h"

namespace wperf::request {
namespace {

struct Scheme {
  std::string_view text;
  FleetAddress::Kind kind;
  std::string_view web;  // the scheme of its HTTP requests
  std::string_view port;
};
constexpr std::array kSchemes = {Scheme{"clickhouse://", FleetAddress::Kind::clickhouse, "http://", "8123"},
                                 Scheme{"clickhouse+https://", FleetAddress::Kind::clickhouse, "https://", "8443"},
                                 Scheme{"pyroscope://", FleetAddress::Kind::pyroscope, "http://", "4040"},
                                 Scheme{"pyroscope+https://", FleetAddress::Kind::pyroscope, "https://", "443"}};

const Scheme* scheme_of(std::string_view text) {
  const auto* const found =
      std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& one) { return text.starts_with(one.text); });
  return found != kSchemes.end() ? found : nullptr;
}

// Decodes %20 and the like. Returns nullopt for a % without two hexadecimal digits, and for a control character.
std::optional<std::string> decoded(std::string_view text) {
  constexpr u32 kBase = 16;
  std::string out;
  for (usize at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      const std::string_view digits = text.substr(at + 1, 2);
      const std::optional<u64> code = parse_digits(digits, kBase);
      if (digits.size() != 2 || !code.has_value()) return std::nullopt;
      c = static_cast<char>(*code);
      at += 2;
    }
    if (static_cast<u8>(c) < ' ') return std::nullopt;
    out += c;
  }
  return out;
}

std::optional<u32> digits_at(std::string_view text, usize at, usize count) {
  const std::optional<u64> number = parse_decimal(text.substr(std::min(at, text.size()), count));
  return number.has_value() ? std::optional(static_cast<u32>(*number)) : std::nullopt;
}

// Parses 2026-11-28 or 2026-11-28T10:00:00, with or without a Z, as UTC.
std::optional<u64> date_of(std::string_view text) {
  constexpr usize kDay = 10, kWhole = 19;
  constexpr u32 kHours = 24, kSixty = 60;
  if (text.ends_with('Z')) text.remove_suffix(1);
  if ((text.size() != kDay && text.size() != kWhole) || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
  if (!year.has_value() || !month.has_value() || !day.has_value()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  const auto days = date.ok() ? std::chrono::sys_days(date).time_since_epoch().count() : -1;
  if (days < 0) return std::nullopt;
  const u64 midnight = static_cast<u64>(days) * kHours * kSixty * kSixty;
  if (text.size() == kDay) return midnight;
  const auto hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  const bool is_time = (text[kDay] == 'T' || text[kDay] == ' ') && text[13] == ':' && text[16] == ':';
  if (!is_time || !hour.has_value() || !minute.has_value() || !second.has_value()) return std::nullopt;
  if (*hour >= kHours || *minute >= kSixty || *second >= kSixty) return std::nullopt;
  return midnight + (u64{*hour} * kSixty + *minute) * kSixty + *second;
}

diag::Result<u64> time_of_value(std::string_view name, std::string_view value, u64 now_unix_s) {
  if (const auto date = date_of(value); date.has_value()) return *date;
  constexpr u64 kMsPerSecond = 1000;
  // A number without a unit is more likely a mistake than a number of seconds.
  const bool has_unit = !value.empty() && (value.back() < '0' || value.back() > '9');
  const auto length = parse_duration(value, name);
  if (has_unit && length.has_value())
    return now_unix_s - std::min(now_unix_s, length.value().milliseconds / kMsPerSecond);
  return diag::usage_error(fmt::format("{}={} is not a time", name, value),
                           "use a length of time such as 90m, 1h or 7d, or a date in UTC such as 2026-11-28T10:00:00");
}

class QueryReader {
 public:
  QueryReader(FleetAddress& address, u64 now_unix_s) : address_(address), now_unix_s_(now_unix_s) {}

  diag::Result<void> take(std::string_view part) {
    const usize equals = part.find('=');
    const std::optional<std::string> value =
        equals != std::string_view::npos ? decoded(part.substr(equals + 1)) : std::nullopt;
    if (!value.has_value() || value->empty()) {
      return diag::usage_error(fmt::format("'{}' in the address is not NAME=VALUE", part),
                               "separate parts with &, and write % as %25 and & as %26");
    }
    const std::string name(part.substr(0, equals));
    if (name == "since" || name == "until") {
      WPERF_TRY((name == "since" ? address_.since_unix_s : address_.until_unix_s),
                time_of_value(name, *value, now_unix_s_));
      return {};
    }
    if (address_.kind == FleetAddress::Kind::clickhouse) return choose(name, *value);
    if (name != "query") {
      return diag::usage_error(fmt::format("'{}' is not known in the address of a Pyroscope server", name),
                               "use query=, since= and until=");
    }
    address_.query = *value;
    return {};
  }

 private:
  diag::Result<void> choose(const std::string& name, const std::string& value) {
    WPERF_CHECK_OK(parse_push_label(name + '=' + value));
    auto& choices = address_.choices;
    auto known = std::find_if(choices.begin(), choices.end(),
                              [&](const FleetAddress::Choice& one) { return one.label == name; });
    if (known == choices.end()) known = choices.insert(choices.end(), {.label = name, .values = {}});
    known->values.push_back(value);
    return {};
  }

  FleetAddress& address_;
  u64 now_unix_s_;
};

// Adds the default port of the scheme if the host has no port.
std::string with_port(std::string host, std::string_view port) {
  const usize end = host.starts_with('[') ? host.find(']') : 0;
  const bool has_port = end != std::string::npos && host.find(':', end) != std::string::npos;
  return has_port ? host : fmt::format("{}:{}", host, port);
}

}  // namespace

bool is_fleet_address(std::string_view text) {
  return scheme_of(text) != nullptr;
}

diag::Result<FleetAddress> parse_fleet_address(std::string_view text, u64 now_unix_s) {
  const Scheme* const scheme = scheme_of(text);
  if (scheme == nullptr) return diag::usage_error(fmt::format("{} is not the address of a server", text), "");
  FleetAddress address{
      .kind = scheme->kind, .url = {}, .choices = {}, .query = {}, .since_unix_s = {}, .until_unix_s = {}};
  std::string_view rest = text.substr(scheme->text.size());
  const usize question = std::min(rest.find('?'), rest.size());
  std::string_view query = rest.substr(std::min(question + 1, rest.size()));
  rest = rest.substr(0, question);
  const usize slash = std::min(rest.find('/'), rest.size());
  if (slash == 0)
    return diag::usage_error("the address has no host", fmt::format("{}HOST/DB?build=42&since=1h", scheme->text));
  std::string path(rest.substr(slash));
  while (path.ends_with('/')) path.pop_back();
  address.url = std::string(scheme->web) + with_port(std::string(rest.substr(0, slash)), scheme->port) + path;
  QueryReader reader(address, now_unix_s);
  while (!query.empty()) {
    const usize end = std::min(query.find('&'), query.size());
    if (end != 0) WPERF_CHECK_OK(reader.take(query.substr(0, end)));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  if (address.kind == FleetAddress::Kind::pyroscope && address.query.empty()) {
    return diag::usage_error(
        "the address of a Pyroscope server needs a query",
        "pyroscope://HOST/?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=\"shop\"}"
        "&since=1h");
  }
  return address;
}

}  // namespace wperf::request
