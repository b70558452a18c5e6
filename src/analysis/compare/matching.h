// SPDX-License-Identifier: BSD-3-Clause
// The functions, modules and lines of all runs, each once; those that are the same in both builds are joined. Opens no
// files itself.
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
  std::string file;  // as debug information has it
  u32 line = 0;
};

// A module of one build. Functions are known by their beginnings.
class BuildFile {
 public:
  virtual ~BuildFile() = default;
  // A hash of its contents, the same at any address. 0 if it is too short; nullopt if its code is not available.
  virtual std::optional<u64> code_hash(u64 begin) const = 0;
  // Where the function begins in its source. nullopt if the file does not say, or was opened without lines.
  virtual std::optional<SourceLine> source_of(u64 begin) const = 0;
  // All names of all functions, as they are shown.
  virtual void for_each_name(const std::function<void(u64 begin, std::string_view name)>& visit) const = 0;
};

// Null if the file is not on this machine.
using OpenBuildFile = std::function<std::unique_ptr<BuildFile>(const stacks::StackModule&)>;

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

// A function's name without the additions of compilers and linkers, the same in another build.
// "parse(char const*) [clone .isra.0]", "parse.part.3", "rust::f::h0123456789abcdef", "?A0x1f3a::g" → the original
// function. Copies of a function, and parts that a compiler moved away, count for it.
std::string function_key(std::string_view name);

// Does a person who writes `wanted` mean this function? It may be its name, also without return type, parameters,
// anonymous namespaces, template arguments (then all instances are meant), or the version of a symbol. It may also be
// the last parts of its name.
bool is_meant(std::string_view wanted, std::string_view name);

}  // namespace wperf::compare
