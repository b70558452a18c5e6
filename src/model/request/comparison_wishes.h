// SPDX-License-Identifier: BSD-3-Clause
// What only `diff` and `bench` take: two sides of runs, what costs are related to, conditions of a gate. Filled by cli;
// read by run_diff and run_bench.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// `[function:|inclusive:|module:|line:]NAME>PERCENT%`: true where it is sure that NAME grew by more than that.
struct FailCondition {
  enum class Kind { total, function, inclusive, module, line };  // inclusive: with what the function called
  Kind kind = Kind::total;
  std::string name;    // "*": any
  double percent = 0;  // never below 0
  std::string text;    // as typed
};
diag::Result<FailCondition> parse_fail_condition(std::string_view text);

// What a cost is divided by before both sides are compared.
struct CostPer {
  enum class Unit { automatic, share, second, run, counter };
  Unit unit = Unit::automatic;
  std::string counter;  // of Unit::counter: its event
};
diag::Result<CostPer> parse_cost_per(std::string_view text);

struct Comparison {
  std::vector<std::string> before, after;  // files
  bool has_sides = false;                  // a -- or --- stood between them
  CostPer per;
  std::vector<FailCondition> conditions;  // of --fail-if; any of them fails the gate
  std::optional<std::string> junit_file, markdown_file;
  bool annotations = false;  // GitHub's
  // Of bench:
  std::optional<std::string> record_as;      // each run is recorded, in files whose names begin so
  std::optional<std::string> baseline_file;  // the side before, measured some other time
  std::optional<std::string> kept_baseline;  // where the program's runs are written for that
  u32 warmup = 0;                            // rounds that are run first, and do not count
  bool shows_output = false;                 // of the programs
};

}  // namespace wperf::request
