// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/compare/function_names.h"
#include "base/ints.h"
#include "ground/text/parts.h"

namespace wperf::compare {
namespace {

using stacks::kNothing;

// A function in the file of a run.
struct Place {
  u32 run = 0, unit = kNothing;
};

// A unit over all runs, with its place on each side.
struct PlacedUnit {
  std::array<Place, 2> places;  // by side; unit == kNothing if the side does not have it
  double samples = 0;
  bool is_on(usize side) const { return places[side].unit != kNothing; }
  bool is_one_sided() const { return is_on(0) != is_on(1); }
};

class CodeMatcher {
 public:
  CodeMatcher(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open,
              MatchedUnits& matched)
      : open_(open), matched_(matched), placed_units_(matched.units.size()) {
    for (const RunCosts& run : before) runs_.push_back(&run);
    for (const RunCosts& run : after) runs_.push_back(&run);
    for (u32 run = 0; run < runs_.size(); ++run) see_run(run, run < before.size() ? 0 : 1);
  }

  void match() {
    std::map<std::string, std::array<std::vector<u32>, 2>> by_module;  // functions that only one side has
    for (u32 number = 0; number < placed_units_.size(); ++number) {
      const Unit& unit = matched_.units[number];
      if (unit.kind != UnitKind::function || !unit.is_known || !placed_units_[number].is_one_sided()) continue;
      if (placed_units_[number].samples < kFewestSamples || place_of(number).unit == kNothing) continue;
      by_module[matched_.modules[number]][side_of(number)].push_back(number);
    }
    for (auto& [module, sides] : by_module) {
      for (const usize side : {0, 1}) find_other_names(module, side, sides[side]);
      find_renamed(module, sides);
    }
    apply_joins();
  }

 private:
  void see_run(u32 run, usize side) {
    for (u32 unit = 0; unit < runs_[run]->units.size(); ++unit) {
      const u32 number = matched_.of_run[run][unit];
      PlacedUnit& placed = placed_units_[number];
      const Unit& own = runs_[run]->units[unit];
      placed.samples += own.samples;
      // Prefers a run with known addresses of the function.
      Place& place = placed.places[side];
      if (place.unit == kNothing || (unit_at(place).begins.empty() && !own.begins.empty())) place = {run, unit};
      for (const u64 begin : own.begins) numbers_[{side, matched_.modules[number], begin}] = number;
    }
  }
  const Unit& unit_at(Place place) const { return runs_[place.run]->units[place.unit]; }
  usize side_of(u32 number) const { return placed_units_[number].is_on(0) ? 0 : 1; }
  // The place of a unit on one side, if its code is known.
  Place place_of(u32 number) const {
    const Place place = placed_units_[number].places[side_of(number)];
    return unit_at(place).begins.empty() ? Place{} : place;
  }

  BuildFile* file_of(usize side, Place place) {
    const stacks::StackModule& module = runs_[place.run]->files[unit_at(place).file];
    const auto [entry, is_new] = files_.try_emplace({side, module.path, module.build_id});
    if (is_new) entry->second = open_(module);
    return entry->second.get();
  }
  // Any function of the module on this side.
  Place any_of_module(usize side, const std::string& module) const {
    const auto at = numbers_.lower_bound({side, module, 0});
    if (at == numbers_.end() || std::get<0>(at->first) != side || std::get<1>(at->first) != module) return {};
    return placed_units_[at->second].places[side];
  }

  // Finds functions of `side` that have another name in recordings of the other side, because the other side's file has
  // both names at the same address.
  void find_other_names(const std::string& module, usize side, std::vector<u32>& numbers) {
    const usize other = 1 - side;
    const Place there = any_of_module(other, module);
    const BuildFile* file = numbers.empty() || there.unit == kNothing ? nullptr : file_of(other, there);
    if (file == nullptr) return;
    std::map<std::string_view, std::vector<u32>> wanted;
    for (const u32 number : numbers) wanted[name_of(number)].push_back(number);
    std::map<u32, std::set<u32>> partners;
    file->for_each_name([&](u64 begin, std::string_view name) {
      const std::string key = function_key(name);
      const auto found = wanted.find(without_parameters(key));
      if (found == wanted.end()) return;
      exists_.insert(found->second.begin(), found->second.end());
      const auto known = numbers_.find({other, module, begin});
      // Overloads count as the same name.
      if (known == numbers_.end() || name_of(known->second) == found->first) return;
      for (const u32 number : found->second) partners[number].insert(known->second);
    });
    for (const auto& [number, others] : partners) {
      if (others.size() != 1 || wanted[name_of(number)].size() != 1) continue;
      const u32 partner = *others.begin();
      // A unit keeps its name if both sides have that name.
      const bool is_after = side == 1 && !placed_units_[partner].is_on(1);
      join(is_after ? partner : number, is_after ? number : partner, true);
    }
    std::erase_if(numbers, [&](u32 number) { return exists_.contains(number) || joined_.contains(number); });
  }

  // Joins functions of both sides with the same code, if the name of each is missing in the file of the other side.
  void find_renamed(const std::string& module, const std::array<std::vector<u32>, 2>& sides) {
    if (sides[0].empty() || sides[1].empty()) return;
    std::map<u64, std::array<std::vector<u32>, 2>> by_code;
    for (const usize side : {0, 1}) {
      for (const u32 number : sides[side]) {
        if (joined_.contains(number)) continue;
        const Place place = place_of(number);
        BuildFile* const file = file_of(side, place);
        std::optional<u64> hash;
        for (const u64 begin : unit_at(place).begins) {
          if (file != nullptr && hash.value_or(0) == 0) hash = file->code_hash(begin);
        }
        if (!hash.has_value()) return note_missing_code(module, *runs_[place.run]);
        if (*hash != 0) by_code[*hash][side].push_back(number);
      }
    }
    for (const auto& [hash, both] : by_code) {
      if (both[0].size() == 1 && both[1].size() == 1) {
        join(both[0][0], both[1][0], false);
      } else if (!both[0].empty() && !both[1].empty()) {
        note_ambiguous_renames(module, both);
      }
    }
  }
  void note_ambiguous_renames(const std::string& module, const std::array<std::vector<u32>, 2>& sides) {
    std::array<std::vector<std::string>, 2> names;
    for (const usize side : {0, 1}) {
      for (const u32 number : sides[side]) names[side].push_back(matched_.units[number].name);
    }
    matched_.notes.push_back(fmt::format(
        "{}: {} before and {} after have the same code and may have been renamed, but the pairs are ambiguous.", module,
        text::joined(names[0], ", "), text::joined(names[1], ", ")));
  }
  void note_missing_code(const std::string& module, const RunCosts& run) {
    matched_.notes.push_back(
        fmt::format("{}: the code of its build in {} cannot be read on this machine, so renamed functions are not "
                    "found; use --symbol-path FOLDER to name the folder with this build.",
                    module, run.file));
  }

  // The unit `stays` takes over all runs of the unit `gone`.
  void join(u32 gone, u32 stays, bool is_same_code) {
    if (joined_.contains(gone) || joined_.contains(stays) || gone == stays) return;
    joined_.emplace(gone, stays);
    matched_.others[stays] = {matched_.units[gone].name, is_same_code};
  }
  // Joins the costs including callees of functions that were renamed.
  void join_inclusive() {
    std::map<std::pair<std::string_view, std::string_view>, u32> inclusive;
    for (u32 number = 0; number < matched_.units.size(); ++number) {
      if (matched_.units[number].kind == UnitKind::inclusive)
        inclusive.emplace(std::pair(matched_.modules[number], matched_.units[number].key), number);
    }
    const auto of = [&](u32 function) {
      return inclusive.find({matched_.modules[function], matched_.units[function].key});
    };
    const std::map<u32, u32> functions = joined_;
    for (const auto& [gone, stays] : functions) {
      const auto from = of(gone), to = of(stays);
      if (from != inclusive.end() && to != inclusive.end())
        join(from->second, to->second, matched_.others[stays].is_same_code);
    }
  }
  void apply_joins() {
    join_inclusive();
    for (std::vector<u32>& numbers : matched_.of_run) {
      for (u32& number : numbers) {
        for (auto at = joined_.find(number); at != joined_.end(); at = joined_.find(number)) number = at->second;
      }
    }
  }

  std::string_view name_of(u32 number) const { return without_parameters(matched_.units[number].key); }
  // The name without parameters, because these may be known on only one side.
  static std::string_view without_parameters(std::string_view key) {
    const usize open = key.find('(', 1);
    return key.ends_with(')') && open != std::string_view::npos ? key.substr(0, open) : key;
  }

  const OpenBuildFile& open_;
  MatchedUnits& matched_;
  std::vector<const RunCosts*> runs_;
  std::vector<PlacedUnit> placed_units_;                        // by unit of all runs
  std::map<std::tuple<usize, std::string, u64>, u32> numbers_;  // keyed by side, module and beginning of the function
  std::map<std::tuple<usize, std::string, std::string>, std::unique_ptr<BuildFile>> files_;  // keyed by side, path and
                                                                                             // build
  std::set<u32> exists_;       // units of one side with a name that is also in the other side's file
  std::map<u32, u32> joined_;  // unit → the unit that it was joined with
};

// Joins units that are the same function. Opens the files of a module only if one of its functions with enough samples
// is on only one side.
void match_by_code(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open,
                   MatchedUnits& matched) {
  CodeMatcher(before, after, open, matched).match();
}

using SideRuns = std::span<const RunCosts>;
// by name: the keys of the module's functions
using ModuleNames = std::map<std::string, std::set<std::string>, std::less<>>;

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

// Modules of `after` that had another name before, for example "old" and "new": at least half of the functions of the
// smaller module are in both modules. The best pairs come first.
std::map<std::string, std::string, std::less<>> renamed_modules(SideRuns before, SideRuns after) {
  const ModuleNames old_modules = modules_of(before), new_modules = modules_of(after);
  struct Pair {
    usize common;
    std::string_view before, after;
  };
  using Module = ModuleNames::value_type;
  std::unordered_map<std::string_view, std::vector<const Module*>> gone;  // keyed by function
  for (const Module& module : old_modules) {
    if (new_modules.contains(module.first)) continue;
    for (const std::string& key : module.second) gone[key].push_back(&module);
  }
  // A function that is in more modules than this, such as `main`, does not identify a module.
  constexpr usize kMostModules = 64;
  std::vector<Pair> pairs;
  for (const auto& [new_name, new_keys] : new_modules) {
    if (old_modules.contains(new_name)) continue;
    std::map<std::string_view, std::pair<const Module*, usize>> common;  // by name of the old module
    for (const std::string& key : new_keys) {
      const auto owners = gone.find(key);
      if (owners == gone.end() || owners->second.size() > kMostModules) continue;
      for (const Module* module : owners->second) {
        auto& [known, count] = common[module->first];
        known = module;
        ++count;
      }
    }
    for (const auto& [old_name, found] : common) {
      const auto& [module, count] = found;
      if (2 * count >= std::min(new_keys.size(), module->second.size())) pairs.push_back({count, old_name, new_name});
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
