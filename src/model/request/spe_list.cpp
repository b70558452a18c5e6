// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/spe_list.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "model/request/number.h"

namespace wperf::request {
namespace {

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

}  // namespace

bool is_spe_list(std::string_view text) {
  return text.size() > kStart.size() && text.substr(0, kStart.size()) == kStart && text.back() == '/';
}

// One pass per kind of mistake: the contract ranks the kinds, whichever filter they are in.
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

}  // namespace wperf::request
