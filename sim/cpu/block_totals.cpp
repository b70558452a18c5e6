// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/block_totals.h"

#include "sim/cpu/code_block.h"

namespace wperf::sim {
namespace {

u64 user_value(const EventTerms* event, const SignalCounts& now) {
  return event != nullptr ? value_of(*event, now, Level::user) : 0;
}

}  // namespace

void BlockTotals::keep(std::span<const u16> events, const SignalCounts& now) {
  events_.clear();
  seen_.clear();
  for (BlockTotal& total : totals_) total.counts.assign(events.size(), 0);
  for (const u16 code : events) {
    events_.push_back(find_event(code));
    seen_.push_back(user_value(events_.back(), now));
  }
}

void BlockTotals::credit(u32 space_id, Block& block, const SignalCounts& now) {
  if (block.total == 0) {
    totals_.push_back({space_id, block.address, block.size, std::vector<u64>(events_.size(), 0)});
    block.total = static_cast<u32>(totals_.size());
  }
  std::vector<u64>& counts = totals_[block.total - 1].counts;
  for (usize i = 0; i < events_.size(); ++i) {
    const u64 value = user_value(events_[i], now);
    counts[i] += value - seen_[i];
    seen_[i] = value;
  }
}

}  // namespace wperf::sim
