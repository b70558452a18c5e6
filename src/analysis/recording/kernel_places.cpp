// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/kernel_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace wperf::recording {

using stacks::kNothing;
using stacks::StackProfile;

void KernelPlaces::ask(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                       std::span<const u64> addresses) {
  symbols_ = modules::KernelSymbols::load(file, history);
  order_.resize(addresses.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](u32 a, u32 b) { return addresses[a] < addresses[b]; });
  functions_.reserve(addresses.size());
  for (const u32 i : order_) functions_.push_back(symbols_.find(addresses[i]));
}

std::vector<u32> KernelPlaces::name(ProfileTables& tables, StackProfile& profile) const {
  const auto first = static_cast<u32>(profile.functions.size());
  std::vector<u32> function_of(order_.size());
  std::vector<std::string_view> modules_of;                   // by function
  std::map<std::pair<std::string_view, u64>, u32> functions;  // keyed by module and beginning; 0 if there is no name
  for (usize at = 0; at < order_.size(); ++at) {
    const modules::KernelSymbols::Function& found = functions_[at];
    const auto [entry, is_new] = functions.try_emplace({found.module, found.name.empty() ? 0 : found.begin}, 0);
    if (is_new) {
      entry->second = tables.add_function(found.name, kNothing, true);
      modules_of.push_back(found.module);
    }
    function_of[order_[at]] = entry->second;
  }
  // Modules are in the order of the lookups.
  std::vector<u32> places;
  places.reserve(order_.size());
  std::map<std::string_view, u32> modules;
  for (u32 i = 0; i < order_.size(); ++i) {
    stacks::StackFunction& function = profile.functions[function_of[i]];
    if (function.module == kNothing) {
      const std::string_view name = modules_of[function_of[i] - first];
      const auto [module, is_new] = modules.try_emplace(name, 0);
      if (is_new) {
        const bool is_nameless_module = !name.empty() && symbols_.reason().empty() && !function.is_known;
        module->second = tables.add_module(
            name.empty()         ? "[kernel]"
            : name.contains('.') ? std::string(name)
                                 : fmt::format("[{}]", name),
            {}, is_nameless_module ? "the running kernel has no function at that address" : symbols_.reason());
      }
      function.module = module->second;
    }
    places.push_back(tables.add_place(function_of[i]));
  }
  return places;
}

}  // namespace wperf::recording
