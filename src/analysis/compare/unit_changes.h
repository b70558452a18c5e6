// SPDX-License-Identifier: BSD-3-Clause
// Compares the costs of functions, modules and lines for one event: how significant each change is, and which runs get
// less weight. Pure.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/dispersion.h"

namespace wperf::compare {

struct EventRuns {
  std::vector<const RunCosts*> runs;     // runs before come first
  std::vector<const EventCosts*> costs;  // by run
  const MatchedUnits& matched;
  double period_before = 1, period_after = 1;  // mean cost of a sample
  Runs measures;                               // divisors of the costs
  bool is_one_run = false;
  const ComparisonOptions& options;
};

// Fills the rows of `change`, whose event and unit are set. Remarks about runs are added to `notes`.
void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes);

}  // namespace wperf::compare
