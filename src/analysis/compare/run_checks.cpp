// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/run_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare/statistics.h"

namespace wperf::compare {
namespace {

bool is_copy(const RunCosts& a, const RunCosts& b) {
  const auto same_costs = [](const UnitCost& x, const UnitCost& y) {
    return x.cost == y.cost && x.samples == y.samples;
  };
  const auto same_event = [&](const EventCosts& x, const EventCosts& y) {
    return x.event == y.event && x.samples == y.samples &&
           std::equal(x.units.begin(), x.units.end(), y.units.begin(), y.units.end(), same_costs);
  };
  const auto same_unit = [](const Unit& x, const Unit& y) { return x.key == y.key && x.module == y.module; };
  return std::equal(a.units.begin(), a.units.end(), b.units.begin(), b.units.end(), same_unit) &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same_event);
}

// Some runs with few samples may be equal by chance, but not all runs.
bool are_copies(const std::vector<RunCosts>& side) {
  if (side.size() < 2 || side.front().events.empty() || !side.front().counts.empty()) return false;
  return std::all_of(side.begin() + 1, side.end(), [&](const RunCosts& run) { return is_copy(run, side.front()); });
}

}  // namespace

diag::Result<void> check_run_counts(usize before, usize after) {
  if (before == 0 || after == 0) return diag::usage_error("a side has no runs", "wperf diff BEFORE... -- AFTER...");
  if ((before == 1 && after == 1) || smallest_rank_answer(before, after) <= 1 - kConfidence) return {};
  return diag::usage_error(
      fmt::format("{} {} before and {} after cannot show a change: even if all runs after cost more, that "
                  "happens by chance in {:.0f} % of such pairs",
                  before, before == 1 ? "run" : "runs", after, 100 * smallest_rank_answer(before, after)),
      "take at least 4 runs per side, better 5 to 10; or one run per side, which is compared by its samples");
}

bool remove_identical_runs(std::vector<RunCosts>& before, std::vector<RunCosts>& after) {
  const bool are_enough = smallest_rank_answer(before.size(), after.size()) <= 1 - kConfidence;
  if (!are_enough || !are_copies(before) || !are_copies(after)) return false;
  before.resize(1);
  after.resize(1);
  return true;
}

}  // namespace wperf::compare
