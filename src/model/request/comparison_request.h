// SPDX-License-Identifier: BSD-3-Clause
// Options that only `diff` and `bench` take: the two sides of runs, the unit of costs, the conditions of a gate.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// `[function:|inclusive:|module:|line:]NAME>PERCENT%`: met if NAME certainly grew by more than PERCENT.
struct FailCondition {
  enum class Kind { total, function, inclusive, module, line };  // inclusive: with called functions
  Kind kind = Kind::total;
  std::string name;    // "*": any
  double percent = 0;  // never negative
  std::string text;    // as typed
};
diag::Result<FailCondition> parse_fail_condition(std::string_view text);

// Costs are divided by this before the two sides are compared.
struct CostPer {
  enum class Unit { automatic, share, second, run, counter };
  Unit unit = Unit::automatic;
  std::string counter;  // the name of the event, for Unit::counter
};
diag::Result<CostPer> parse_cost_per(std::string_view text);

struct Comparison {
  std::vector<std::string> before, after;  // files
  bool has_sides = false;                  // the sides were separated by -- or ---
  CostPer per;
  std::vector<FailCondition> conditions;  // from --fail-if; the gate fails if one of them is met
  std::optional<std::string> junit_file, markdown_file;
  bool annotations = false;  // prints annotations for GitHub
  // Only for bench:
  std::optional<std::string> record_as;      // records each run into files with this prefix
  std::optional<std::string> baseline_file;  // a file with runs of the `before` side, measured earlier
  std::optional<std::string> kept_baseline;  // the file to write the program's runs to, as a later baseline
  u32 warmup = 0;                            // rounds that are run first and not measured
  bool shows_output = false;                 // shows the output of the programs
};

// How often `bench` runs each program. With fewer runs no change can be significant.
inline constexpr u32 kFewestRounds = 4, kMostRounds = 1000;

}  // namespace wperf::request
