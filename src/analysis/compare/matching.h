// SPDX-License-Identifier: BSD-3-Clause
// The functions, modules and lines of all runs, each once: which of them are the same in both builds. Opens no files
// itself. Called by comparison.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/function_code.h"
#include "analysis/compare/run_costs.h"

namespace wperf::compare {

// Of a unit whose two names stand for one function.
struct OtherName {
  std::string name;           // empty: there is none
  bool is_same_code = false;  // the linker folded both into one; else the name of before
};

struct MatchedUnits {
  std::vector<Unit> units;               // as the side after has them
  std::vector<std::string> modules;      // by unit: as the side before has it, where both have it
  std::vector<OtherName> others;         // by unit
  std::vector<std::vector<u32>> of_run;  // by run (those of `before` first), by unit of the run
  std::vector<std::string> notes;        // what could not be looked for, whole sentences
};

// By module and name; modules that exist on one side only are the same where their functions are. Functions that only
// one side has are then looked for by what files say of their code; an empty `open` looks for none.
MatchedUnits match_units(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open);

}  // namespace wperf::compare
