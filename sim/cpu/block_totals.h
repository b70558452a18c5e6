// SPDX-License-Identifier: BSD-3-Clause
// The true values that sampling estimates: how often certain events happened in each block of user code. Taken from the
// settled signals at the end of every block. They are independent of the watch for overflows, so that a test can
// compare the two.
#pragma once
#include <span>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/event_terms.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

struct Block;

struct BlockTotal {
  u32 space_id = 0;  // AddressSpace::id()
  u64 address = 0;
  u32 size = 0;
  std::vector<u64> counts;  // one count for each event
};

class BlockTotals {
 public:
  void keep(std::span<const u16> events, const SignalCounts& now);
  bool kept() const { return !events_.empty(); }
  // Adds the counts of user code since the last credit() to the totals of this block.
  void credit(u32 space_id, Block& block, const SignalCounts& now);
  // A block may be in here more than once.
  const std::vector<BlockTotal>& all() const { return totals_; }

 private:
  std::vector<const EventTerms*> events_;  // null: not modelled
  std::vector<u64> seen_;
  std::vector<BlockTotal> totals_;
};

}  // namespace wperf::sim
