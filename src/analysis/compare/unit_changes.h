// SPDX-License-Identifier: BSD-3-Clause
// What functions, modules and lines of one event cost on both sides, how sure that is, and which runs tell less than
// others. Pure. Called by comparison.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/dispersion.h"

namespace wperf::compare {

struct EventRuns {
  std::vector<const RunCosts*> runs;     // those of `before` first
  std::vector<const EventCosts*> costs;  // of the event, by run
  const MatchedUnits& matched;
  double period_before = 1, period_after = 1;  // the mean cost of a sample
  Runs measures;                               // what costs are divided by, in units of these
  bool is_one_run = false;
  const ComparisonOptions& options;
};

// Fills the rows of `change`, which has its event and its unit. What it tells of runs goes to `notes`.
void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes);

}  // namespace wperf::compare
