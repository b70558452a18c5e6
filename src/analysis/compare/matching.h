// SPDX-License-Identifier: BSD-3-Clause
// The functions, modules and lines of all runs, each once; those that are the same in both builds are joined. Opens no
// files itself.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/function_code.h"
#include "analysis/compare/run_costs.h"

namespace wperf::compare {

// For a unit whose two names stand for one function.
struct OtherName {
  std::string name;           // may be empty
  bool is_same_code = false;  // the linker folded both into one; otherwise only the name changed
};

struct MatchedUnits {
  std::vector<Unit> units;               // names of the side after
  std::vector<std::string> modules;      // by unit: the module's name on the side before, if both sides have it
  std::vector<OtherName> others;         // by unit
  std::vector<std::vector<u32>> of_run;  // by run (those of `before` first), by unit of the run
  std::vector<std::string> notes;        // failed lookups, as whole sentences
};

// By module and name. Modules that exist on only one side are the same if their functions are. Functions that only one
// side has are then searched by their code in the files, unless `open` is empty.
MatchedUnits match_units(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open);

}  // namespace wperf::compare
