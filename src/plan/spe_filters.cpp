// SPDX-License-Identifier: BSD-3-Clause
#include "plan/spe_filters.h"

#include <fmt/format.h>

#include <string_view>

namespace wperf::plan {
namespace {

struct Filter {
  std::string_view name, alias;
  u64 greatest;
};
constexpr Filter kFilters[] = {{"load_filter", "ld", 1},
                               {"store_filter", "st", 1},
                               {"branch_filter", "b", 1},
                               {"ts_enable", "ts", 1},
                               {"min_latency", "min", 0xffff}};

const Filter* find_filter(std::string_view name) {
  for (const Filter& filter : kFilters) {
    if (name == filter.name || name == filter.alias) return &filter;
  }
  return nullptr;
}

}  // namespace

// ID_AA64DFR0_EL1.PMSVer
bool has_spe(const Capabilities& machine) {
  return (machine.id_aa64dfr0 >> 32 & 0xf) != 0;
}

diag::Result<void> check_spe(const request::SpeList& list, const Capabilities& machine) {
  if (!has_spe(machine)) return diag::contract_error("SPE is not supported by your hardware: not implemented");
  for (const request::SpeFilter& given : list.filters) {
    if (find_filter(given.name) != nullptr) continue;
    return diag::contract_error(fmt::format(
        "SPE filter '{}' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency", given.name));
  }
  for (const request::SpeFilter& given : list.filters) {
    const u64 greatest = find_filter(given.name)->greatest;
    if (given.value <= greatest) continue;
    return diag::contract_error(fmt::format("SPE filter '{}' value out of range, use: 0-{}", given.name, greatest));
  }
  return {};
}

}  // namespace wperf::plan
