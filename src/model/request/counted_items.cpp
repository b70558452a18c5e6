// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/counted_items.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "model/request/number.h"

namespace wperf::request {
namespace {

// Removes a prefix such as `/dsu/` from the front of `text`.
std::optional<EventClass> take_prefix(std::string_view& text) {
  for (const EventClass event_class : kEventClasses) {
    if (event_class == EventClass::core) continue;
    const std::string_view name = class_name(event_class);
    const usize length = name.size() + 2;
    if (text.size() < length || text[0] != '/' || text[length - 1] != '/') continue;
    bool same = true;
    for (usize i = 0; i < name.size(); ++i) same = same && ascii_lower(text[i + 1]) == name[i];
    if (!same) continue;
    text.remove_prefix(length);
    return event_class;
  }
  return std::nullopt;
}

// The position of the comma that ends the first entry. A comma inside `unit/term=1,term=2/` separates terms, not
// events.
usize end_of_entry_in(std::string_view text) {
  const usize comma = text.find(',');
  const usize slash = text.substr(0, comma).find('/');  // only in this entry, so that a long list is read only once
  const bool has_terms = slash != std::string_view::npos && slash != 0 && text[slash - 1] != '{';
  if (comma == std::string_view::npos || !has_terms) return comma;
  const usize end = text.find('/', slash + 1);
  return end == std::string_view::npos ? comma : text.find(',', end);
}

class ListParser {
 public:
  diag::Result<void> add(std::string_view token);
  diag::Result<EventList> finish();

 private:
  diag::Result<EventClass> class_in_group(std::optional<EventClass> prefix, std::string_view token) const;

  EventList list_;
  u32 group_count_ = 0;
  bool in_group_ = false;
  EventClass group_class_ = EventClass::core;
  std::string group_text_;  // the token that opened the group
};

// A member may leave out the prefix of its group, but may not have another prefix: all events of a group are on one set
// of counters.
diag::Result<EventClass> ListParser::class_in_group(std::optional<EventClass> prefix, std::string_view token) const {
  if (!prefix.has_value() || *prefix == group_class_) return group_class_;
  return diag::contract_error(
      fmt::format("event group mixes {} and {} events: {}", class_name(group_class_), class_name(*prefix), token));
}

diag::Result<void> ListParser::add(std::string_view token) {
  std::string_view name = token;
  std::optional<EventClass> prefix = take_prefix(name);
  const bool opens = !name.empty() && name[0] == '{';
  if (opens) {
    name.remove_prefix(1);
    if (!prefix.has_value()) prefix = take_prefix(name);
  }
  const bool closes = !name.empty() && name.back() == '}';
  if (closes) name.remove_suffix(1);

  if ((opens && in_group_) || (!name.empty() && name[0] == '{')) {
    return diag::contract_error(fmt::format("nested group is not supported {}", token));
  }
  if (closes && !opens && !in_group_) {
    return diag::contract_error(fmt::format("missing '{{' for event group {}", token));
  }
  EventToken event;
  event.event_class = prefix.value_or(EventClass::core);
  if (in_group_) {
    WPERF_TRY(event.event_class, class_in_group(prefix, token));
  }
  event.text = std::string(name);
  WPERF_TRY(event.number, parse_raw_event(name));
  if (opens && !closes) {
    in_group_ = true;
    group_class_ = event.event_class;
    group_text_ = std::string(token);
  }
  if (in_group_) event.group = group_count_;
  list_.tokens.push_back(std::move(event));
  if (closes && in_group_) {
    in_group_ = false;
    ++group_count_;
  }
  return {};
}

diag::Result<EventList> ListParser::finish() {
  if (in_group_) return diag::contract_error(fmt::format("missing '}}' for event group {}", group_text_));
  return std::move(list_);
}

diag::Error format_error(const CoreOption& option) {
  return diag::contract_error(fmt::format(
      "option {} format not supported, use comma separated list of integers, or range of integers", option.name));
}

diag::Result<u32> parse_core(std::string_view text, const CoreOption& option) {
  const std::optional<u64> number = parse_decimal(text);
  if (!number.has_value()) return format_error(option);
  if (*number > ~u32{0}) {
    return diag::contract_error(fmt::format("core index {} not allowed, see option {} <n>", text, option.name));
  }
  return static_cast<u32>(*number);
}

diag::Result<CoreRange> parse_range(std::string_view text, const CoreOption& option) {
  const usize dash = text.find('-');
  WPERF_TRY(u32 first, parse_core(text.substr(0, dash), option));
  if (dash == std::string_view::npos) return CoreRange{first, first};
  WPERF_TRY(u32 last, parse_core(text.substr(dash + 1), option));
  if (first > last) std::swap(first, last);
  return CoreRange{first, last};
}

}  // namespace

bool continues_group(const EventList& list, usize i) {
  const std::vector<EventToken>& tokens = list.tokens;
  if (i == 0 || !tokens[i].group.has_value() || !tokens[i - 1].group.has_value()) return false;
  return *tokens[i].group == *tokens[i - 1].group;
}

diag::Result<std::optional<u32>> parse_raw_event(std::string_view text) {
  std::optional<u64> number;
  if (!text.empty() && (text[0] == 'r' || text[0] == 'R')) {
    number = parse_digits(text.substr(1), 16);
  } else {
    number = parse_c_number(text);
  }
  if (!number.has_value()) return std::optional<u32>{};
  if (*number > 0xffff) return diag::contract_error(fmt::format("extra event value out of range in {}", text));
  return std::optional<u32>{static_cast<u32>(*number)};
}

diag::Result<EventList> parse_event_list(std::string_view text) {
  const std::string_view whole = text;
  ListParser parser;
  // A comma at the very end is ignored.
  while (!text.empty()) {
    const usize comma = end_of_entry_in(text);
    WPERF_CHECK_OK(parser.add(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  WPERF_TRY(EventList list, parser.finish());
  for (const EventToken& token : list.tokens) {
    if (token.text.empty()) return nameless_event(whole);
  }
  return list;
}

diag::Error nameless_event(std::string_view list) {
  return {.text = fmt::format("a name is missing in '{}'", list), .hint = "`wperf list` shows the names"};
}

diag::Result<std::vector<CoreRange>> parse_core_list(std::string_view text, const CoreOption& option) {
  std::vector<CoreRange> ranges;
  u64 core_count = 0;
  while (true) {
    const usize comma = text.find(',');
    WPERF_TRY(const CoreRange range, parse_range(text.substr(0, comma), option));
    ranges.push_back(range);
    core_count += u64{range.last} - range.first + 1;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (core_count > option.limit) {
    return diag::contract_error(
        fmt::format("you can specify up to {}cores with {} <cpu_list> option", option.limit, option.name));
  }
  return ranges;
}

diag::Result<u64> parse_core_mask(std::string_view text, std::string_view option) {
  const std::string_view digits = text.starts_with("0x") ? text.substr(2) : text;
  u64 mask = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [last, code] = std::from_chars(begin, end, mask, 16);
  if (code == std::errc() && last == end && mask != 0) return mask;
  return diag::usage_error(fmt::format("invalid value '{}' for {}", text, option),
                           "use a hexadecimal mask of cores: 2 is core 1, f are cores 0 to 3");
}

}  // namespace wperf::request
