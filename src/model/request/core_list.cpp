// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/core_list.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "model/request/number.h"

namespace wperf::request {
namespace {

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

}  // namespace wperf::request
