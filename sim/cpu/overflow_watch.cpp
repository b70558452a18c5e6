// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/overflow_watch.h"

#include <algorithm>

namespace wperf::sim {
namespace {

// The greatest rate at which an event can count. An access touches one line. A micro-op makes at most four: two halves
// of a Q register that both cross a line. A line leaves a cache when another line replaces it, or by DC ZVA.
enum class Pace : u8 { time, slots, micro_ops, accesses, misses, write_backs };

Pace pace_of(Signal signal) {
  switch (signal) {
    case Signal::cycles:
    case Signal::bus_cycles:
    case Signal::stall_frontend:
    case Signal::stall_backend:
    case Signal::stall_backend_membound:
    case Signal::stall_slot_extra:
    case Signal::stall_frontend_membound:
    case Signal::stall_frontend_l1i:
    case Signal::stall_frontend_mem:
    case Signal::stall_frontend_tlb:
    case Signal::stall_frontend_flush:
    case Signal::stall_frontend_flow:
    case Signal::stall_backend_l1d:
    case Signal::stall_backend_mem:
    case Signal::stall_backend_tlb:
    case Signal::stall_backend_st:
      return Pace::time;
    case Signal::op_spec:  // includes operations of wrong paths
    case Signal::stall_slot_frontend:
    case Signal::stall_slot_backend:
      return Pace::slots;
    case Signal::l1d_cache_rd:
    case Signal::l1d_cache_wr:
    case Signal::l1d_tlb_rd:
    case Signal::l1d_tlb_wr:
    case Signal::unaligned_ld_spec:
    case Signal::unaligned_st_spec:
      return Pace::accesses;
    case Signal::l1i_cache_refill:
    case Signal::l1d_cache_refill_rd:
    case Signal::l1d_cache_refill_wr:
    case Signal::l2d_cache_rd:
    case Signal::l2d_cache_refill_rd:
    case Signal::l2d_cache_refill_wr:
    case Signal::l3d_cache_rd:
    case Signal::l3d_cache_refill:
    case Signal::l3d_cache_allocate:
    case Signal::ll_cache_rd:
    case Signal::ll_cache_miss_rd:
    case Signal::bus_access_rd:
    case Signal::l1i_tlb_refill:
    case Signal::l1d_tlb_refill_rd:
    case Signal::l1d_tlb_refill_wr:
    case Signal::l2d_tlb_rd:
    case Signal::l2d_tlb_wr:
    case Signal::l2d_tlb_refill_rd:
    case Signal::l2d_tlb_refill_wr:
    case Signal::dtlb_walk:
    case Signal::itlb_walk:
      return Pace::misses;
    case Signal::l1d_cache_wb:
    case Signal::l1d_cache_wb_victim:
    case Signal::l2d_cache_wr:
    case Signal::l2d_cache_wb:
    case Signal::l2d_cache_allocate:
    case Signal::l3d_cache_wr:
    case Signal::bus_access_wr:
      return Pace::write_backs;
    default:
      return Pace::micro_ops;
  }
}

constexpr u64 kAccesses = 4;  // accesses of a micro-op
// The longest single wait of a core, for two lines of data and for one line of code.
constexpr u64 kDataWait = 2 * (kDramWait + kWalkWait), kFetchWait = kDramWait + kWalkWait;
static_assert(kL2Wait / kSequentialShare >= 1 && kL2Wait / kStoreShare >= 1, "a miss takes a cycle");

}  // namespace

bool LargestBlock::include(const Block& block) {
  const LargestBlock before = *this;
  micro_ops = std::max(micro_ops, block.contents.micro_ops);
  lines = std::max(lines, block.line_count);
  cost = std::max<u64>(cost, block.cost);
  return micro_ops != before.micro_ops || lines != before.lines || cost != before.cost;
}

void OverflowWatch::catch_up(const BlockCache& blocks) {
  for (Watch& watch : watches_) watch.left = watch.remaining;
  blocks.each_that_ran([this](Block& block) {
    const std::int32_t* const weights = weights_of(block);
    for (usize i = 0; i < watches_.size(); ++i) watches_[i].left -= weights[i] * static_cast<Count>(block.runs);
  });
}

u64 OverflowWatch::late_cycles(const LargestBlock& largest) {
  return (largest.cost >> kCycleBits) + 1 + largest.lines * kFetchWait;
}

// `late`: the time that may pass after these cycles have ended.
u64 OverflowWatch::safe_cycles_of(const Watch& watch, const LargestBlock& largest, u64 late) const {
  const u64 width = model_.issue_width() + 1;  // because the cost of a micro-op is rounded down
  const u64 accesses = kAccesses * largest.micro_ops, misses = accesses + largest.lines;
  u64 rate = 0, margin = 1;
  const auto add = [&](u64 of_rate, u64 of_margin) {
    rate += of_rate;
    margin += of_margin;
  };
  for (const Signal signal : watch.event->plus) {
    if (signal == Signal::count_) break;
    switch (pace_of(signal)) {
      case Pace::time:
        add(1, late);
        break;
      case Pace::slots:
        add(width, width * late);
        break;
      case Pace::micro_ops:
        add(width, largest.micro_ops);
        break;
      case Pace::accesses:
        add(kAccesses * width, accesses);
        break;
      case Pace::misses:
        add(1, misses);
        break;
      case Pace::write_backs:
        add(2 * (width + 1), 2 * misses);
        break;
    }
  }
  const Count left = watch.left - watch.value(0) - static_cast<Count>(margin);
  return left > 0 ? static_cast<u64>(left) / rate : 0;
}

u64 OverflowWatch::safe_cycles(const LargestBlock& largest, u64 late) const {
  u64 safe = static_cast<u64>(kNever);
  for (const Watch& watch : watches_) safe = std::min(safe, safe_cycles_of(watch, largest, late));
  return safe;
}

u64 OverflowWatch::safe_cycles(const LargestBlock& largest) const {
  return safe_cycles(largest, late_cycles(largest) + kDataWait + kMispredictWait);
}

u64 OverflowWatch::safe_cycles_of_whole_blocks(const LargestBlock& largest) const {
  return safe_cycles(largest, 1);
}

bool OverflowWatch::same_events(std::span<const EventWatch> watches) const {
  return std::equal(watches.begin(), watches.end(), events_.begin(), events_.end(),
                    [](const EventWatch& watch, u16 event) { return watch.event == event; });
}

void OverflowWatch::arm(std::span<const EventWatch> watches) {
  if (!same_events(watches)) compile(watches);
  for (Watch& watch : watches_) {
    watch.base = 0;
    watch.base = watch.value(0);
    watch.remaining = static_cast<Count>(std::clamp<u64>(watches[watch.source].remaining, 1, u64{kNever}));
    watch.left = watch.remaining;
  }
}

void OverflowWatch::compile(std::span<const EventWatch> watches) {
  events_.clear();
  watches_.clear();
  weights_.clear();
  ++generation_;
  for (usize i = 0; i < watches.size(); ++i) {
    events_.push_back(watches[i].event);
    const EventTerms* const event = find_event(watches[i].event);
    if (event == nullptr) continue;  // never counts
    watches_.push_back(compile_one(*event));
    watches_.back().source = i;
  }
  const auto first_without =
      std::partition(watches_.begin(), watches_.end(), [](const Watch& watch) { return watch.term_count != 0; });
  live_count_ = static_cast<usize>(first_without - watches_.begin());
}

OverflowWatch::Watch OverflowWatch::compile_one(const EventTerms& event) const {
  Watch watch;
  watch.event = &event;
  const auto add = [&](Signal signal, Count sign) {
    CoreModel::Live live = model_.live(signal);
    if (live.value == nullptr) return;
    live.scale *= sign;
    const bool charged = live.value == model_.live(Signal::cycles).value;
    watch.terms[watch.term_count++] = {live, charged};
    watch.late |= live.scale < 0;
    watch.by_taken_branch |= live.value == model_.live(Signal::br_taken_retired).value;
    watch.by_mispredict |= charged || live.value == model_.live(Signal::br_mis_pred).value ||
                           live.value == model_.live(Signal::stall_frontend).value ||
                           live.value == model_.live(Signal::stall_backend).value ||
                           signal == Signal::stall_frontend_flush;
  };
  for (const Signal signal : event.plus) {
    if (signal == Signal::count_) continue;
    add(signal, 1);
    watch.timed |= pace_of(signal) == Pace::time || pace_of(signal) == Pace::slots;
  }
  if (event.minus != Signal::count_) add(event.minus, -1);
  return watch;
}

bool OverflowWatch::changed_by(BranchKind branch) const {
  const bool can_miss = branch == BranchKind::indirect_call || branch == BranchKind::indirect_jump ||
                        branch == BranchKind::conditional || branch == BranchKind::procedure_return;
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    return watch.late || (branch != BranchKind::none && watch.by_taken_branch) || (can_miss && watch.by_mispredict);
  });
}

OverflowWatch::Count OverflowWatch::weight(const Watch& watch, const BlockContents& contents, u64 lines) const {
  Count result = 0;
  for (const Signal signal : watch.event->plus) {
    if (signal != Signal::count_) result += static_cast<Count>(model_.share_of(contents, lines, signal));
  }
  if (watch.event->minus != Signal::count_) {
    result -= static_cast<Count>(model_.share_of(contents, lines, watch.event->minus));
  }
  return result;
}

void OverflowWatch::weigh(Block& block) {
  block.weights_of = generation_;
  block.weights = static_cast<u32>(weights_.size());
  for (const Watch& watch : watches_) {
    weights_.push_back(static_cast<std::int32_t>(weight(watch, block.contents, block.line_count)));
  }
}

// A watch that has run out stays that way and is not checked again.
bool OverflowWatch::mark() {
  for (Watch& watch : watches_) {
    if (!watch.late && watch.is_out()) watch.left = kNever;
  }
  return true;
}

u32 OverflowWatch::first_out(Block& block, std::span<const u32> code) {
  u32 first = code.empty() ? 0 : static_cast<u32>(code.size()) - 1;
  const std::int32_t* const weights = weights_of(block);
  for (usize i = 0; i < watches_.size(); ++i) {
    Watch& watch = watches_[i];
    if (watch.late || !watch.is_out()) continue;
    Count left = watch.left + weights[i];
    u64 cost_to_come = block.cost;
    for (u32 at = 0; at < first; ++at) {
      const u64 address = block.address + u64{at} * 4;
      const bool new_line = at == 0 || address % kLineSize == 0;
      const BlockContents contents = sum_up(code.subspan(at, 1));
      left -= weight(watch, contents, u64{new_line});
      cost_to_come -= model_.cost_of(contents);
      if (watch.value(cost_to_come) < left) continue;
      first = at;
      break;
    }
    watch.left = kNever;
  }
  return first;
}

std::optional<u32> OverflowWatch::out_at_end(std::span<const u32> code) {
  std::optional<u32> first;
  for (usize i = 0; i < live_count_; ++i) {
    Watch& watch = watches_[i];
    if (!watch.is_out()) continue;
    u32 at = code.empty() ? 0 : static_cast<u32>(code.size()) - 1;
    // A late count belongs to the last instruction of its kind.
    while (watch.late && at != 0 && weight(watch, sum_up(code.subspan(at, 1)), 0) == 0) --at;
    first = first ? std::min(*first, at) : at;
    watch.left = kNever;
  }
  return first;
}

}  // namespace wperf::sim
