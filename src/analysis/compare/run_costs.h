// SPDX-License-Identifier: BSD-3-Clause
// What one run cost, by function, module and line: all that is kept of a profile for a comparison. Pure. Called by
// commands while it reads the files of both sides.
#pragma once
#include <string>
#include <vector>

#include "analysis/compare/dispersion.h"
#include "base/ints.h"
#include "model/stacks/stack_profile.h"
#include "model/stacks/stack_rows.h"

namespace wperf::compare {

// inclusive: a function with all that it called.
enum class UnitKind : u8 { function, module, line, inclusive };

// A thing that costs. In a run, what a compiler made of one function is one thing, with what it inlined there.
struct Unit {
  UnitKind kind = UnitKind::function;
  std::string module, name;     // as shown; of a module name is empty
  std::string key;              // of the name, as it is the same in another build
  bool is_known = true;         // else code that nothing names, all of a module
  u32 file = stacks::kNothing;  // of a function: index into RunCosts::files
  std::vector<u64> begins;      // where its functions begin there, as far as that is known
  double samples = 0;           // of all events; where stacks are kept, with those of what it called
};

inline constexpr double kFewestSamples = 6;  // were all of fewer on one side, that would still be chance

struct UnitCost {
  double cost = 0;     // in units of the event
  double samples = 0;  // that tell of it
};

// Of the cost of a function, its host, the part that was in functions inlined there.
struct InlinedCost {
  std::vector<u32> units;  // that one first which ran, at last the host
  double cost = 0, samples = 0;
};

struct EventCosts {
  std::string event;
  double cost = 0, samples = 0;
  std::vector<UnitCost> units;  // by unit
  std::vector<InlinedCost> inlined;
  // How much it came in bursts. Empty: nothing tells when samples were taken.
  std::vector<Scatter> scatters;  // by unit
};

// A count that is exact, of `stat`.
struct ExactCount {
  std::string event;
  double value = 0;
};

// Call stacks as a tree, where they are asked for; see stack_changes.
struct StackCost {
  u32 parent = ~u32{0};  // always before it; none: the root
  u32 unit = ~u32{0};    // its function; of the root none
  double self = 0;       // in units of the event
  u64 samples = 0;
};
struct RunStacks {
  std::string event;  // the first that has samples
  std::vector<StackCost> nodes;
};

struct RunCosts {
  std::string file;
  double seconds = 0;        // 0: not known
  double missing_share = 0;  // of its samples, that were not taken or were lost; costs count them like the others
  double cpu_seconds = 0;    // that its threads ran, as the system counted it; 0: not known
  std::vector<Unit> units;
  std::vector<stacks::StackModule> files;  // of units
  std::vector<EventCosts> events;
  std::vector<ExactCount> counts;
  std::vector<std::string> losses;  // what the run lacks, whole sentences
  RunStacks stacks;                 // where a picture or folded stacks are wanted
};

struct CostWishes {
  // Of costs, tasks alone: what modules and functions are called differs between the sides, so comparisons choose
  // these.
  stacks::StackFilter filter;
  bool lines = false;
  bool inclusive = false;  // functions with what they called, too: needs callers
  bool stacks = false;     // RunCosts::stacks
  // Of a side with this run alone: how much each thing comes in bursts. Needs a profile with slices.
  bool scatters = false;
};
RunCosts run_costs(const stacks::StackProfile& profile, const CostWishes& wishes);

}  // namespace wperf::compare
