// SPDX-License-Identifier: BSD-3-Clause
// Which row each cost belongs to: a function includes the code inlined into it, so that a cost is compared with the
// same work of the other side, whatever the compiler did. Pure.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "analysis/compare/unit_changes.h"

namespace wperf::compare {

class InlineRows {
 public:
  explicit InlineRows(const EventRuns& event);

  // The row of the code that a unit ran by itself, including everything inlined there.
  u32 of_unit(u32 unit) const;
  // The row of the code that ran in this chain; units of all runs.
  u32 of_chain(const std::vector<u32>& units) const;
  // Functions that share a row with another function, which is the second of the pair.
  const std::map<u32, u32>& joined() const { return joined_; }

  // For a function that was inlined on one side: its hosts, and its cost in each.
  struct Hosts {
    std::map<u32, double> before, after;
  };
  const std::map<u32, Hosts>& hosts() const { return hosts_; }
  // By how much its inlined share grew, as a part of 1. nullopt if it was seen on only one side.
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

  std::vector<Cost> alone_, inlined_;  // by unit, in samples of mean size
  std::vector<bool> apart_;            // by unit: it has a separate row, wherever it was inlined
  std::map<u32, u32> joined_;
  std::map<u32, Hosts> hosts_;
};

}  // namespace wperf::compare
