// SPDX-License-Identifier: BSD-3-Clause
// What functions, modules and lines of one event cost on both sides, how sure that is, and which runs tell less than
// others. Pure. Called by comparison.
#pragma once
#include <vector>

#include "compare/comparison.h"
#include "compare/dispersion.h"

namespace wperf::compare {

struct EventRuns {
  std::vector<const RunCosts*> runs;     // those of `before` first
  std::vector<const EventCosts*> costs;  // of the event, by run
  const MatchedUnits& matched;
  Runs measures;           // what costs are divided by
  double mean_period = 1;  // of a sample, over all runs
  bool is_one_run = false;
};

// Fills the rows of `change`, which has its event and its unit. What it tells of runs goes to `notes`.
void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes);

}  // namespace wperf::compare
