// SPDX-License-Identifier: BSD-3-Clause
// Options that only `diff` and `bench` take: two sides of runs, the unit of costs, conditions of a gate.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// `[function:|inclusive:|module:|line:]NAME>PERCENT%`: true if NAME certainly grew by more than that.
struct FailCondition {
  enum class Kind { total, function, inclusive, module, line };  // inclusive: with the called functions
  Kind kind = Kind::total;
  std::string name;    // "*": any
  double percent = 0;  // never below 0
  std::string text;    // as typed
};
diag::Result<FailCondition> parse_fail_condition(std::string_view text);

// Costs are divided by this before the two sides are compared.
struct CostPer {
  enum class Unit { automatic, share, second, run, counter };
  Unit unit = Unit::automatic;
  std::string counter;  // the event, for Unit::counter
};
diag::Result<CostPer> parse_cost_per(std::string_view text);

struct Comparison {
  std::vector<std::string> before, after;  // files
  bool has_sides = false;                  // a -- or --- separated them
  CostPer per;
  std::vector<FailCondition> conditions;  // from --fail-if; any of them fails the gate
  std::optional<std::string> junit_file, markdown_file;
  bool annotations = false;  // GitHub's
  // Only for bench:
  std::optional<std::string> record_as;      // each run is recorded, in files with this prefix
  std::optional<std::string> baseline_file;  // the side before, measured at another time
  std::optional<std::string> kept_baseline;  // the file into which the program's runs are written as a later baseline
  u32 warmup = 0;                            // rounds that are run first, and do not count
  bool shows_output = false;                 // the programs' output
};

// How often `bench` runs each program: with fewer runs no change is significant.
inline constexpr u32 kFewestRounds = 4, kMostRounds = 1000;

}  // namespace wperf::request
