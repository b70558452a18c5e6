// SPDX-License-Identifier: BSD-3-Clause
// Made-up profiles and counts, for tests of comparisons.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"

namespace wperf::compare::testing {

// One event and one thread, with samples of functions, which may be inlined into others.
class MadeProfile {
 public:
  explicit MadeProfile(std::string module) {
    profile_.file = module + ".data";
    profile_.events.push_back({.name = "cycles"});
    profile_.names.emplace_back("prog");
    profile_.tasks.push_back({7, 7, 0});
    profile_.modules.push_back({.name = std::move(module), .path = {}, .reason = {}});
    profile_.nodes.push_back({});
    profile_.elapsed_seconds = 2;
  }

  MadeProfile& add(const std::string& function, u64 count, const std::string& inlined_into = {}) {
    u32 parent = 0;
    if (!inlined_into.empty()) parent = node(0, inlined_into, false);
    const u32 here = node(parent, function + (inlined_into.empty() ? "" : " (inlined)"), !inlined_into.empty());
    profile_.samples.push_back({0, 0, 0, here, count, count * 1000});
    profile_.events.front().samples += count;
    return *this;
  }

  // Replaces the functions' names by addresses in this build. If `build` is empty, only the path of the file is known.
  MadeProfile& stripped(const std::string& build, const std::string& path = {}) {
    for (stacks::StackFunction& function : profile_.functions) function.is_address = true;
    profile_.modules.front().build_id = build;
    profile_.modules.front().path = path;
    return *this;
  }
  // Sets the addresses of the functions, from `begin` on, in the order in which they were added.
  MadeProfile& lies_at(u64 begin) {
    for (stacks::StackFunction& function : profile_.functions) {
      function.begin = begin;
      begin += 0x100;
    }
    return *this;
  }

  MadeProfile& of_event(const std::string& name) {
    profile_.events.front().name = name;
    return *this;
  }
  // Sets the number of samples that were held back.
  MadeProfile& held_back(u64 count) {
    profile_.losses.held_back = count;
    return *this;
  }

  void cost_of_samples(u64 times) {
    for (stacks::StackSample& sample : profile_.samples) sample.period *= times;
  }

  RunCosts costs() const { return run_costs(profile_, {}); }
  const stacks::StackProfile& get() const { return profile_; }

 private:
  u32 node(u32 parent, const std::string& function, bool is_inlined) {
    profile_.functions.push_back({function, 0, !function.empty(), false, is_inlined});
    profile_.places.push_back({static_cast<u32>(profile_.functions.size() - 1)});
    profile_.nodes.push_back({parent, static_cast<u32>(profile_.places.size() - 1)});
    return static_cast<u32>(profile_.nodes.size() - 1);
  }

  stacks::StackProfile profile_;
};

inline Comparison compared(const MadeProfile& before, const MadeProfile& after, Per per = Per::run) {
  auto done = compare_runs({before.costs()}, {after.costs()}, {.per = per, .counter = {}});
  EXPECT_TRUE(done.has_value());
  return std::move(done).value();
}

inline const UnitChange& function_of(const Comparison& comparison, std::string_view name) {
  for (const UnitChange& row : comparison.events.at(0).functions) {
    if (row.name == name) return row;
  }
  static const UnitChange kNone{};
  ADD_FAILURE() << name;
  return kNone;
}

inline Verdict::Kind judged(const Comparison& comparison, std::string_view condition) {
  return judge(comparison, {request::parse_fail_condition(condition).value()}).at(0).kind;
}

inline RunCosts counted(double value) {
  RunCosts run;
  run.counts = {{"inst_retired", value}};
  return run;
}

}  // namespace wperf::compare::testing
