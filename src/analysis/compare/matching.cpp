// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/matching.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/compare/code_matching.h"

namespace wperf::compare {
namespace {

using SideRuns = std::span<const RunCosts>;
using ModuleNames = std::map<std::string, std::set<std::string>, std::less<>>;  // and the keys of their functions

ModuleNames modules_of(SideRuns side) {
  ModuleNames modules;
  for (const RunCosts& run : side) {
    for (const Unit& unit : run.units) {
      std::set<std::string>& keys = modules[unit.module];
      if (unit.kind == UnitKind::function && unit.is_known) keys.insert(unit.key);
    }
  }
  return modules;
}

// Modules of `after` with another name before, e.g. "old" and "new": at least half of the functions of the smaller one
// are in both. The best pairs first.
std::map<std::string, std::string, std::less<>> renamed_modules(SideRuns before, SideRuns after) {
  const ModuleNames old_modules = modules_of(before), new_modules = modules_of(after);
  struct Pair {
    usize common;
    std::string_view before, after;
  };
  std::vector<Pair> pairs;
  for (const auto& [new_name, new_keys] : new_modules) {
    if (old_modules.contains(new_name)) continue;
    for (const auto& [old_name, old_keys] : old_modules) {
      if (new_modules.contains(old_name)) continue;
      const auto common = static_cast<usize>(
          std::count_if(new_keys.begin(), new_keys.end(), [&](const auto& key) { return old_keys.contains(key); }));
      if (common != 0 && 2 * common >= std::min(new_keys.size(), old_keys.size()))
        pairs.push_back({common, old_name, new_name});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.common > b.common; });
  std::map<std::string, std::string, std::less<>> renamed;
  std::set<std::string_view> taken;
  for (const Pair& pair : pairs) {
    if (renamed.contains(pair.after) || !taken.insert(pair.before).second) continue;
    renamed.emplace(pair.after, pair.before);
  }
  return renamed;
}

class Matcher {
 public:
  Matcher(SideRuns before, SideRuns after) : before_(before), after_(after), renamed_(renamed_modules(before, after)) {}

  MatchedUnits match() {
    for (const RunCosts& run : before_) add_run(run, false);
    for (const RunCosts& run : after_) add_run(run, true);
    return std::move(matched_);
  }

 private:
  void add_run(const RunCosts& run, bool is_after) {
    std::vector<u32>& numbers = matched_.of_run.emplace_back();
    for (const Unit& unit : run.units) {
      std::string_view module = unit.module;
      if (is_after) {
        if (const auto found = renamed_.find(module); found != renamed_.end()) module = found->second;
      }
      const auto [entry, is_new] =
          numbers_.try_emplace({unit.kind, std::string(module), unit.key}, static_cast<u32>(matched_.units.size()));
      if (is_new) {
        matched_.units.push_back(unit);
        matched_.modules.emplace_back(module);
      }
      numbers.push_back(entry->second);
      if (is_after) matched_.units[entry->second].module = unit.module;
    }
  }

  SideRuns before_, after_;
  std::map<std::string, std::string, std::less<>> renamed_;
  std::map<std::tuple<UnitKind, std::string, std::string>, u32> numbers_;
  MatchedUnits matched_;
};

}  // namespace

MatchedUnits match_units(SideRuns before, SideRuns after, const OpenBuildFile& open) {
  MatchedUnits matched = Matcher(before, after).match();
  matched.others.resize(matched.units.size());
  if (open) match_by_code(before, after, open, matched);
  return matched;
}

}  // namespace wperf::compare
