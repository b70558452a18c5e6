// SPDX-License-Identifier: BSD-3-Clause
// The costs of one run by function, module and line. A comparison keeps nothing else of a profile. Pure.
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

// A function, module or line with costs. In a run, all code that a compiler made from one function is one unit,
// including the code inlined there.
struct Unit {
  UnitKind kind = UnitKind::function;
  std::string module, name;     // as shown; `name` is empty for a module
  std::string key;              // a form of the name that is the same in another build
  bool is_known = true;         // false: the unit stands for all code of a module without names
  bool is_address = false;      // the name is only an address, which can be another function in another build
  u32 file = stacks::kNothing;  // for a function: index into RunCosts::files
  std::vector<u64> begins;      // the known addresses of its code in that file
  double samples = 0;           // over all events; including callees if stacks are kept

  bool has_name() const { return is_known && !is_address; }
};

inline constexpr double kFewestSamples = 6;  // with fewer samples, it could be chance even if all of them were on one
                                             // side

struct UnitCost {
  double cost = 0;  // in units of the event
  double samples = 0;
};

// The part of a host's cost that is in functions inlined there.
struct InlinedCost {
  std::vector<u32> units;  // the innermost function first, the host last
  double cost = 0, samples = 0;
};

struct EventCosts {
  std::string event;
  double cost = 0, samples = 0;
  std::vector<UnitCost> units;  // by unit
  std::vector<InlinedCost> inlined;
  // How bursty the samples of each unit are. Empty if their times are unknown.
  std::vector<Scatter> scatters;  // by unit
};

// An exact count from `stat`.
struct ExactCount {
  std::string event;
  double value = 0;
};

// Call stacks as a tree, on request; see stack_changes.
struct StackCost {
  u32 parent = ~u32{0};  // a smaller index; ~0 for the root
  u32 unit = ~u32{0};    // its function; ~0 for the root
  double self = 0;       // in units of the event
  u64 samples = 0;
};
struct RunStacks {
  std::string event;  // the first event with samples
  std::vector<StackCost> nodes;
};

struct RunCosts {
  std::string file;          // or the name of a host
  std::string fleet = {};    // for a host: the address of its profiles; otherwise empty
  u64 profiles = 1;          // how many profiles were added up; costs per run are divided by it
  double seconds = 0;        // 0: not known
  double missing_share = 0;  // the share of samples that were not taken or were lost; costs include an estimate of it
  double cpu_seconds = 0;    // CPU time of its threads, measured by the system; 0 if not known
  bool was_stopped = false;  // --timeout ended the program, so its times are not its costs
  std::vector<Unit> units;
  std::vector<stacks::StackModule> files;  // files of the units
  std::vector<EventCosts> events;
  std::vector<ExactCount> counts;
  std::vector<std::string> losses;     // whole sentences
  std::vector<std::string> uncounted;  // events that were never on a counter
  RunStacks stacks;                    // only for flame graphs and folded stacks
};

// Makes costs from the counts of a program: for each event, the sum of the counts of all cores, clusters or channels.
// `name` is used as the file name.
RunCosts costs_of(const answers::CountProfile& profile, const std::string& name);

struct RunCostOptions {
  // Filters only by task. Modules and functions can have different names on the two sides, so the comparison filters by
  // them.
  stacks::StackFilter filter;
  bool lines = false;
  bool inclusive = false;  // also functions including callees; needs call stacks
  bool stacks = false;     // fills RunCosts::stacks
  // For a side with only one run: how bursty each item is. Needs a profile with slices.
  bool scatters = false;
};
RunCosts run_costs(const stacks::StackProfile& profile, const RunCostOptions& options);

}  // namespace wperf::compare
