// SPDX-License-Identifier: BSD-3-Clause
// The counts of the models of one core, at EL0 and at EL1. A PMU event is a sum of signals (event_sums.cpp).
#pragma once
#include <array>

#include "base/ints.h"

namespace wperf::sim {

enum class Signal : u8 {
  cycles,
  stall_frontend,
  stall_backend,
  stall_backend_membound,
  inst_retired,
  inst_spec,
  op_retired,
  op_spec,
  ld_spec,
  st_spec,
  dp_spec,
  ase_spec,
  vfp_spec,
  crypto_spec,
  br_immed_spec,
  br_indirect_spec,
  br_return_spec,
  br_retired,
  br_immed_retired,
  br_return_retired,
  br_taken_retired,
  br_mis_pred,
  br_mis_pred_retired,
  br_pred,
  pc_write_spec,
  ldrex_spec,
  strex_pass_spec,
  strex_fail_spec,
  isb_spec,
  dsb_spec,
  dmb_spec,
  unaligned_ld_spec,
  unaligned_st_spec,
  rc_ld_spec,
  rc_st_spec,
  exc_taken,
  exc_return,
  exc_svc,
  exc_irq,
  exc_dabort,
  l1i_cache,
  l1i_cache_refill,
  l1d_cache_rd,
  l1d_cache_wr,
  l1d_cache_refill_rd,
  l1d_cache_refill_wr,
  l1d_cache_wb,
  l1d_cache_wb_victim,
  l2d_cache_rd,
  l2d_cache_wr,
  l2d_cache_refill_rd,
  l2d_cache_refill_wr,
  l2d_cache_wb,
  l2d_cache_allocate,
  l3d_cache_rd,
  l3d_cache_wr,
  l3d_cache_refill,
  l3d_cache_allocate,
  ll_cache_rd,
  ll_cache_miss_rd,
  bus_access_rd,
  bus_access_wr,
  bus_cycles,
  l1i_tlb,
  l1i_tlb_refill,
  l1d_tlb_rd,
  l1d_tlb_wr,
  l1d_tlb_refill_rd,
  l1d_tlb_refill_wr,
  l2d_tlb_rd,
  l2d_tlb_wr,
  l2d_tlb_refill_rd,
  l2d_tlb_refill_wr,
  dtlb_walk,
  itlb_walk,
  stall_slot_frontend,
  stall_slot_backend,
  stall_slot_extra,         // the surplus count of some cores
  stall_frontend_membound,  // the sum of the three below it
  stall_frontend_l1i,       // instructions came from L2
  stall_frontend_mem,       // from farther away
  stall_frontend_tlb,
  stall_frontend_flush,  // after a branch that was mispredicted
  stall_frontend_flow,
  stall_backend_l1d,  // the data of a load came from L2
  stall_backend_mem,  // from farther away
  stall_backend_tlb,
  stall_backend_st,
  // For a profiler: its population, and the operations that were chosen, kept, or collided with the previous one.
  sample_pop,
  sample_feed,
  sample_filtrate,
  sample_collision,
  count_
};
inline constexpr usize kSignalCount = static_cast<usize>(Signal::count_);

enum class Level : u8 { user = 0, kernel = 1 };

struct SignalCounts {
  std::array<std::array<u64, kSignalCount>, 2> at{};  // [Level][Signal]
  u64& operator()(Level level, Signal signal) { return at[static_cast<usize>(level)][static_cast<usize>(signal)]; }
  SignalCounts operator-(const SignalCounts& other) const {
    SignalCounts difference;
    for (usize level = 0; level < at.size(); ++level)
      for (usize signal = 0; signal < kSignalCount; ++signal)
        difference.at[level][signal] = at[level][signal] - other.at[level][signal];
    return difference;
  }
  u64 operator()(Level level, Signal signal) const { return at[static_cast<usize>(level)][static_cast<usize>(signal)]; }
};

// The value of PMU event `code` at one level: a sum of signals. An event without a model counts 0.
u64 event_value(const SignalCounts& counts, Level level, u16 code);
bool event_is_modelled(u16 code);  // goes into PMCEID0/1

}  // namespace wperf::sim
