// SPDX-License-Identifier: BSD-3-Clause
// Lists the functions, modules and lines of all runs, each once, and joins those that are the same in both builds.
// Opens no files itself.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/run_costs.h"
#include "base/ints.h"
#include "model/stacks/stack_profile.h"

namespace wperf::compare {

// Facts about functions in the files of a build, used if names do not show which functions of two builds are the same.
// The caller opens the files.
struct SourceLine {
  std::string file;  // as in the debug information
  u32 line = 0;
};

// A module of one build. Functions are identified by their start addresses.
class BuildFile {
 public:
  virtual ~BuildFile() = default;
  // A hash of the code, the same at any address. 0 if the code is too short; nullopt if it is not available.
  virtual std::optional<u64> code_hash(u64 begin) = 0;
  // Where the function begins in its source. nullopt if the file does not have it, or was opened without lines.
  virtual std::optional<SourceLine> source_of(u64 begin) const = 0;
  // Visits all names of all functions, as they are displayed.
  virtual void for_each_name(const std::function<void(u64 begin, std::string_view name)>& visit) const = 0;
};

// Returns null if the file is not on this machine.
using OpenBuildFile = std::function<std::unique_ptr<BuildFile>(const stacks::StackModule&)>;

// The other name of a unit that has two names.
struct OtherName {
  std::string name;           // may be empty
  bool is_same_code = false;  // true: the linker folded both into one; false: only the name changed
};

struct MatchedUnits {
  std::vector<Unit> units;               // with the names of the side after
  std::vector<std::string> modules;      // by unit: the name of its module before, if both sides have the module
  std::vector<OtherName> others;         // by unit
  std::vector<std::vector<u32>> of_run;  // by run (runs before come first) and by unit of the run: index into `units`
  std::vector<std::string> notes;        // whole sentences about lookups that failed
};

// Matches by module and name. Modules that exist on only one side are matched by their functions. Functions that only
// one side has are then matched by their code in the files, unless `open` is empty.
MatchedUnits match_units(std::span<const RunCosts> before, std::span<const RunCosts> after, const OpenBuildFile& open);

}  // namespace wperf::compare
