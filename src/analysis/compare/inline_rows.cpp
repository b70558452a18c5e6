// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/inline_rows.h"

#include <algorithm>
#include <cmath>

namespace wperf::compare {
namespace {

bool is_before(const EventRuns& event, usize run) {
  return run < event.measures.before;
}

// The factor for the cost of a sample, so that both sides have the same unit.
double scale_of(const EventRuns& event, usize run) {
  double exposure = 0, most = 0;
  for (usize other = 0; other < event.runs.size(); ++other) {
    most = std::max(most, event.measures.exposures[other]);
    if (is_before(event, other) == is_before(event, run)) exposure += event.measures.exposures[other];
  }
  return exposure > 0 ? most / exposure / (is_before(event, run) ? event.period_before : event.period_after) : 0;
}

std::vector<u32> numbered(const std::vector<u32>& units, const std::vector<u32>& numbers) {
  std::vector<u32> out;
  out.reserve(units.size());
  for (const u32 unit : units) out.push_back(numbers[unit]);
  return out;
}

// Does this host have more than half of the inlined cost on this side?
bool has_half_of(const std::map<u32, double>& side, u32 host) {
  double all = 0;
  for (const auto& [one, cost] : side) all += cost;
  return 2 * side.at(host) >= all;
}

}  // namespace

InlineRows::InlineRows(const EventRuns& event)
    : alone_(event.matched.units.size()), inlined_(alone_.size()), apart_(alone_.size(), false) {
  add_up(event);
  find_moved();
  if (std::find(apart_.begin(), apart_.end(), true) != apart_.end()) join_opposites(event);
}

void InlineRows::add_up(const EventRuns& event) {
  for (usize run = 0; run < event.runs.size(); ++run) {
    const double scale = scale_of(event, run);
    const bool before = is_before(event, run);
    const std::vector<u32>& numbers = event.matched.of_run[run];
    const EventCosts& costs = *event.costs[run];
    const auto add = [&](Cost& to, double cost) { (before ? to.before : to.after) += cost * scale; };
    for (usize unit = 0; unit < costs.units.size(); ++unit) add(alone_[numbers[unit]], costs.units[unit].cost);
    for (const InlinedCost& part : costs.inlined) {
      const u32 host = numbers[part.units.back()];
      for (usize i = 0; i + 1 < part.units.size(); ++i) {
        const u32 unit = numbers[part.units[i]];
        if (unit == host) continue;
        add(inlined_[unit], part.cost);
        Hosts& hosts = hosts_[unit];
        (before ? hosts.before : hosts.after)[host] += part.cost * scale;
      }
    }
  }
}

// Finds functions that are inlined on one side and separate on the other: the cost that the function lost is now in its
// host, or vice versa.
void InlineRows::find_moved() {
  constexpr double kWorthARow = 0.2;
  for (const auto& [unit, hosts] : hosts_) {
    const Cost &alone = alone_[unit], &inlined = inlined_[unit];
    if (alone.change() * inlined.change() >= 0) continue;
    const double moved = std::min(std::abs(alone.change()), std::abs(inlined.change()));
    const double least = std::min(alone.before + inlined.before, alone.after + inlined.after);
    apart_[unit] = moved >= kFewestSamples && moved >= kWorthARow * least;
  }
}

std::optional<double> InlineRows::more_inlined(u32 unit) const {
  const Cost &alone = alone_[unit], &inlined = inlined_[unit];
  const double before = alone.before + inlined.before, after = alone.after + inlined.after;
  if (before <= 0 || after <= 0) return std::nullopt;
  return inlined.after / after - inlined.before / before;
}

u32 InlineRows::of_unit(u32 unit) const {
  for (auto at = joined_.find(unit); at != joined_.end(); at = joined_.find(unit)) unit = at->second;
  return unit;
}

u32 InlineRows::of_chain(const std::vector<u32>& units) const {
  const auto row = std::find_if(units.begin(), units.end() - 1, [&](u32 unit) { return apart_[unit]; });
  return of_unit(*row);
}

std::vector<InlineRows::Cost> InlineRows::costs_of_rows(const EventRuns& event) const {
  std::vector<Cost> rows = alone_;
  for (usize run = 0; run < event.runs.size(); ++run) {
    const double scale = scale_of(event, run);
    for (const InlinedCost& part : event.costs[run]->inlined) {
      const std::vector<u32> chain = numbered(part.units, event.matched.of_run[run]);
      const u32 row = of_chain(chain);
      if (row == chain.back()) continue;
      const double cost = part.cost * scale;
      (is_before(event, run) ? rows[row].before : rows[row].after) += cost;
      (is_before(event, run) ? rows[chain.back()].before : rows[chain.back()].after) -= cost;
    }
  }
  return rows;
}

// If such a function and its host changed in opposite directions, work may have moved between them, so they become one
// row. Otherwise a host would seem to have grown when a function was inlined into it.
void InlineRows::join_opposites(const EventRuns& event) {
  constexpr double kWorthJoining = 0.1;
  const std::vector<Cost> rows = costs_of_rows(event);
  for (const auto& [unit, hosts] : hosts_) {
    if (!apart_[unit]) continue;
    u32 joined = unit;
    double most = kFewestSamples;
    for (const auto* side : {&hosts.before, &hosts.after}) {
      for (const auto& [host, cost] : *side) {
        if (rows[unit].change() * rows[host].change() >= 0) continue;
        const double opposite = std::min(std::abs(rows[unit].change()), std::abs(rows[host].change()));
        // If the host is a small loop around the function that does all the work, only the cost of the loop counts.
        const double all = rows[host].most() + (has_half_of(*side, host) ? 0 : rows[unit].most());
        if (opposite < most || opposite < kWorthJoining * all) continue;
        most = opposite;
        joined = host;
      }
    }
    if (joined != unit && of_unit(joined) != unit) joined_.emplace(unit, joined);
  }
}

}  // namespace wperf::compare
