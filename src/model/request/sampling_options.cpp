// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/sampling_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/ints.h"
#include "model/request/counted_items.h"
#include "model/request/number.h"

namespace wperf::request {
namespace {

diag::Result<u32> parse_interval(std::string_view text) {
  const std::optional<u64> interval = parse_c_number(text);
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

bool is_word_character(char c) {
  const char lower = ascii_lower(c);
  return (lower >= 'a' && lower <= 'z') || c == '_';
}

// In "sched:sched_switch", "sched_switch" may be the second half of a tracepoint's name.
usize length_of_word(std::string_view text) {
  if (text.empty() || !is_word_character(text.front())) return 0;
  usize length = 1;
  while (length < text.size() && (is_word_character(text[length]) || (text[length] >= '0' && text[length] <= '9'))) {
    ++length;
  }
  return length == text.size() || text[length] == ':' ? length : 0;
}

// `unit/term=1,term=2/` contains commas and colons; an interval can only follow the last slash.
usize end_of_name(std::string_view token) {
  const usize slash = token.find('/');
  if (slash == 0 || slash == std::string_view::npos) return 0;
  const usize end = token.find('/', slash + 1);
  return end == std::string_view::npos ? 0 : end;
}

diag::Result<SampledEvent> parse_event(std::string_view token) {
  SampledEvent event;
  usize colon = token.find(':', end_of_name(token));
  event.text = std::string(token.substr(0, colon));
  WPERF_TRY(event.number, parse_raw_event(event.text));
  if (colon == std::string_view::npos) return event;
  // Takes the second half of a tracepoint's name first, then perf's modifiers: `sched:sched_switch:k`.
  for (usize words = 0; words < 2 && !event.text.empty(); ++words) {
    const usize word = length_of_word(token.substr(colon + 1));
    if (word == 0) break;
    if (words == 0) event.interval_error = parse_interval(token.substr(colon + 1)).error();
    event.text = std::string(token.substr(0, colon + 1 + word));
    colon = token.find(':', colon + 1);
    if (colon == std::string_view::npos) return event;
  }
  WPERF_TRY(event.interval, parse_interval(token.substr(colon + 1)));
  return event;
}

// The beginning of the next entry, after a comma that is not inside `unit/…/`.
usize end_of_entry(std::string_view text) {
  const usize comma = text.find(',');
  if (text.substr(0, comma).find('/') == std::string_view::npos) return comma;
  const usize slash = end_of_name(text);
  return slash > comma ? text.find(',', slash) : comma;
}

constexpr std::string_view kStart = "arm_spe_0/";

struct RawFilter {
  std::string_view text;
  std::string_view name() const { return text.substr(0, text.find('=')); }
  std::string_view value() const { return text.substr(text.find('=') + 1); }
};

std::vector<RawFilter> split(std::string_view text) {
  std::vector<RawFilter> filters;
  while (!text.empty()) {
    const usize comma = text.find(',');
    filters.push_back({text.substr(0, comma)});
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return filters;
}

struct Name {
  std::string_view name;
  Breakdown breakdown;
};
constexpr Name kNames[] = {{"process", Breakdown::process},
                           {"thread", Breakdown::thread},
                           {"module", Breakdown::module},
                           {"core", Breakdown::core},
                           {"caller", Breakdown::caller}};

diag::Result<Breakdown> parse_breakdown(std::string_view text) {
  for (const Name& name : kNames) {
    if (name.name == text) return name.breakdown;
  }
  return diag::usage_error(fmt::format("unknown table '{}' for --by", text),
                           "use process, thread, module, core and caller, separated by commas");
}

}  // namespace

diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text) {
  const std::string_view whole = text;
  std::vector<SampledEvent> events;
  // A comma at the very end is ignored.
  while (!text.empty()) {
    const usize comma = end_of_entry(text);
    auto event = parse_event(text.substr(0, comma));
    if (event.has_value() && event.value().text.empty()) event = nameless_event(whole);
    if (!event.has_value()) {  // the first mistake is reported, even one that only plan can find
      for (const SampledEvent& before : events) {
        if (before.interval_error.has_value()) return *before.interval_error;
      }
      return std::move(event).error();
    }
    events.push_back(std::move(event).value());
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return events;
}

diag::Result<CallStacks> parse_call_graph(std::string_view text) {
  if (text == "auto") return automatic_stacks();
  if (text == "fp") return CallStacks{.source = StackSource::frame_pointers};
  if (text == "dwarf") return CallStacks{.source = StackSource::stack_copies};
  constexpr std::string_view kWithSize = "dwarf,";
  if (!text.starts_with(kWithSize)) {
    return diag::usage_error(fmt::format("unknown way to record call stacks: '{}'", text),
                             "use auto, fp, dwarf or dwarf,BYTES with --call-graph");
  }
  const std::optional<u64> bytes = parse_decimal(text.substr(kWithSize.size()));
  if (!bytes.has_value() || *bytes == 0 || *bytes > kMostStackBytes || *bytes % 8 != 0) {
    return diag::usage_error(fmt::format("invalid size of the stack copy: '{}'", text.substr(kWithSize.size())),
                             fmt::format("use a multiple of 8, at most {}", kMostStackBytes));
  }
  return CallStacks{.source = StackSource::stack_copies, .stack_bytes = static_cast<u32>(*bytes)};
}

bool is_spe_list(std::string_view text) {
  return text.size() > kStart.size() && text.substr(0, kStart.size()) == kStart && text.back() == '/';
}

// One pass for each kind of mistake, because the contract ranks mistakes by kind, not by filter.
diag::Result<SpeList> parse_spe_list(std::string_view text) {
  const std::string_view all = text.substr(kStart.size(), text.size() - kStart.size() - 1);
  const std::vector<RawFilter> filters = split(all);
  for (const RawFilter& filter : filters) {
    if (filter.text.find('=') == std::string_view::npos) {
      return diag::contract_error(fmt::format("incorrect SPE filter: '{}' in {}", filter.text, all));
    }
  }
  for (const RawFilter& filter : filters) {
    if (filter.name().empty()) {
      return diag::contract_error(fmt::format("incorrect SPE filter name: '{}'", filter.text));
    }
  }
  SpeList list;
  for (const RawFilter& filter : filters) {
    const std::optional<u64> value = parse_c_number(filter.value());
    if (!value.has_value()) {
      return diag::contract_error(fmt::format("incorrect SPE filter value: {}='{}'.", filter.name(), filter.value()));
    }
    list.filters.push_back({std::string(filter.name()), *value});
  }
  return list;
}

diag::Result<std::vector<Breakdown>> parse_breakdown_list(std::string_view text) {
  std::vector<Breakdown> list;
  while (true) {
    const usize comma = text.find(',');
    WPERF_TRY(const Breakdown breakdown, parse_breakdown(text.substr(0, comma)));
    if (std::find(list.begin(), list.end(), breakdown) == list.end()) list.push_back(breakdown);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

SymbolFilter parse_symbol_filter(std::string_view text) {
  const bool from_start = !text.empty() && text.front() == '^';
  if (from_start) text.remove_prefix(1);
  const bool to_end = !text.empty() && text.back() == '$';
  if (to_end) text.remove_suffix(1);
  SymbolFilter filter;
  filter.text = std::string(text);
  filter.open_start = to_end && !from_start;
  filter.open_end = from_start && !to_end;
  return filter;
}

bool matches(const SymbolFilter& filter, std::string_view name) {
  const std::string_view text = filter.text;
  if (text.empty()) return true;
  if (name.size() < text.size()) return false;
  if (filter.open_start) return equal_ignoring_case(name.substr(name.size() - text.size()), text);
  if (filter.open_end) return equal_ignoring_case(name.substr(0, text.size()), text);
  return equal_ignoring_case(name, text);
}

}  // namespace wperf::request
