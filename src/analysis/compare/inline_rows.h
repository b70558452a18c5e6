// SPDX-License-Identifier: BSD-3-Clause
// Assigns each cost to a row. A function includes the code inlined into it, so that its cost is compared with the same
// work on the other side, whatever the compiler inlined. Pure.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "analysis/compare/unit_changes.h"

namespace wperf::compare {

class InlineRows {
 public:
  explicit InlineRows(const EventRuns& event);

  // The row for code of the unit itself, including everything inlined there.
  u32 of_unit(u32 unit) const;
  // The row for code in this chain of units (of all runs).
  u32 of_chain(const std::vector<u32>& units) const;
  // Functions that share a row: the second of each pair has the row.
  const std::map<u32, u32>& joined() const { return joined_; }

  // For a function that is inlined on one side: its hosts, with its cost in each.
  struct Hosts {
    std::map<u32, double> before, after;
  };
  const std::map<u32, Hosts>& hosts() const { return hosts_; }
  // How much the inlined share of the unit grew, as a fraction of 1. nullopt if only one side has the unit.
  std::optional<double> more_inlined(u32 unit) const;

 private:
  struct Cost {
    double before = 0, after = 0;
    double change() const { return after - before; }
    double most() const { return before > after ? before : after; }
  };
  void add_up(const EventRuns& event);
  void find_moved();
  std::vector<Cost> costs_of_rows(const EventRuns& event) const;
  void join_opposites(const EventRuns& event);

  // by unit, in samples of mean period: its cost outside of other functions, and its cost inlined into them
  std::vector<Cost> alone_, inlined_;
  std::vector<bool> apart_;  // by unit: true if it has its own row even where it is inlined
  std::map<u32, u32> joined_;
  std::map<u32, Hosts> hosts_;
};

}  // namespace wperf::compare
