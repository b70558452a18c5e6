// SPDX-License-Identifier: BSD-3-Clause
// The costs of one run by function, module and line: the part of a profile that a comparison keeps. Pure. Filled while
// the files of both sides are read.
#pragma once
#include <string>
#include <vector>

#include "analysis/compare/statistics.h"
#include "base/ints.h"
#include "model/answers/count_profile.h"
#include "model/stacks/stack_profile.h"
#include "model/stacks/stack_rows.h"

namespace wperf::compare {

// inclusive: a function including all its callees.
enum class UnitKind : u8 { function, module, line, inclusive };

// A function, module or line with costs. In a run, everything a compiler made of one function is one unit, including
// the code it inlined there.
struct Unit {
  UnitKind kind = UnitKind::function;
  std::string module, name;     // as shown; `name` is empty for a module
  std::string key;              // the form of the name that is the same in another build
  bool is_known = true;         // if false, all code of a module without names
  u32 file = stacks::kNothing;  // for a function: index into RunCosts::files
  std::vector<u64> begins;      // the known addresses of its functions there
  double samples = 0;           // over all events; including callees if stacks are kept
};

inline constexpr double kFewestSamples = 6;  // even if one side had all of them, that could still be chance

struct UnitCost {
  double cost = 0;     // in units of the event
  double samples = 0;  // the number of samples in it
};

// The part of a host function's cost that was in functions inlined there.
struct InlinedCost {
  std::vector<u32> units;  // the function that ran first; the host is last
  double cost = 0, samples = 0;
};

struct EventCosts {
  std::string event;
  double cost = 0, samples = 0;
  std::vector<UnitCost> units;  // by unit
  std::vector<InlinedCost> inlined;
  // How bursty it is. Empty if the times of samples are unknown.
  std::vector<Scatter> scatters;  // by unit
};

// A count that is exact, of `stat`.
struct ExactCount {
  std::string event;
  double value = 0;
};

// Call stacks as a tree, on request; see stack_changes.
struct StackCost {
  u32 parent = ~u32{0};  // always before it; ~0 for the root
  u32 unit = ~u32{0};    // its function; ~0 for the root
  double self = 0;       // in units of the event
  u64 samples = 0;
};
struct RunStacks {
  std::string event;  // the first one with samples
  std::vector<StackCost> nodes;
};

struct RunCosts {
  std::string file;          // or the name of a host
  std::string fleet = {};    // for a host: the address of its profiles; otherwise empty
  u64 profiles = 1;          // that were added up; costs per run are those of one
  double seconds = 0;        // 0: not known
  double missing_share = 0;  // share of its samples that were not taken or were lost; costs include an estimate for
                             // them
  double cpu_seconds = 0;    // CPU time of its threads, as counted by the system; 0 if not known
  std::vector<Unit> units;
  std::vector<stacks::StackModule> files;  // of units
  std::vector<EventCosts> events;
  std::vector<ExactCount> counts;
  std::vector<std::string> losses;  // losses of the run, whole sentences
  RunStacks stacks;                 // if a picture or folded stacks are wanted
};

// From counts of a program: the sum over all cores of each event that was counted. `name` stands for the file.
RunCosts costs_of(const answers::CountProfile& profile, const std::string& name);

struct CostWishes {
  // Only tasks are filtered in the profile: modules and functions may have different names on the two sides, so
  // comparisons filter these.
  stacks::StackFilter filter;
  bool lines = false;
  bool inclusive = false;  // also functions including callees: needs callers
  bool stacks = false;     // RunCosts::stacks
  // For a side with only this run: how bursty each thing is. Needs a profile with slices.
  bool scatters = false;
};
RunCosts run_costs(const stacks::StackProfile& profile, const CostWishes& wishes);

}  // namespace wperf::compare
