// SPDX-License-Identifier: BSD-3-Clause
// For each PMU event, the signals that add up to it. Codes and meanings: Arm ARM D13.11 ("Common event numbers");
// Neoverse N1 PMU guide. Only the micro-ops of a wrong path are modelled; for everything else, architecturally and
// speculatively executed operations are the same.
#include <algorithm>
#include <iterator>

#include "sim/cpu/event_terms.h"

namespace wperf::sim {
namespace {

// One row of the table below.
struct Row : EventTerms {
  template <typename... Signals>
  constexpr Row(u16 event, Signals... signals) {
    code = event;
    plus.fill(Signal::count_);
    const Signal given[] = {signals...};
    std::copy(std::begin(given), std::end(given), plus.begin());
  }
  constexpr Row less(Signal signal) const {
    Row result = *this;
    result.minus = signal;
    return result;
  }
};

using enum Signal;

// Sorted by code.
constexpr Row kEvents[] = {
    {0x0001, l1i_cache_refill},
    {0x0002, l1i_tlb_refill},
    {0x0003, l1d_cache_refill_rd, l1d_cache_refill_wr},
    {0x0004, l1d_cache_rd, l1d_cache_wr},
    {0x0005, l1d_tlb_refill_rd, l1d_tlb_refill_wr},
    {0x0006, ld_spec},
    {0x0007, st_spec},
    {0x0008, inst_retired},
    {0x0009, exc_taken},
    {0x000a, exc_return},
    {0x000c, br_taken_retired},
    {0x000d, br_immed_retired},
    {0x000e, br_return_retired},
    {0x000f, unaligned_ld_spec, unaligned_st_spec},
    {0x0010, br_mis_pred},
    {0x0011, cycles},
    {0x0012, br_pred},
    {0x0013, l1d_cache_rd, l1d_cache_wr},
    {0x0014, l1i_cache},
    {0x0015, l1d_cache_wb},
    {0x0016, l2d_cache_rd, l2d_cache_wr},
    {0x0017, l2d_cache_refill_rd, l2d_cache_refill_wr},
    {0x0018, l2d_cache_wb},
    {0x0019, bus_access_rd, bus_access_wr},
    {0x001b, inst_spec},
    {0x001d, bus_cycles},
    {0x0020, l2d_cache_allocate},
    {0x0021, br_retired},
    {0x0022, br_mis_pred_retired},
    {0x0023, stall_frontend},
    {0x0024, stall_backend},
    {0x0025, l1d_tlb_rd, l1d_tlb_wr},
    {0x0026, l1i_tlb},
    {0x0029, l3d_cache_allocate},
    {0x002a, l3d_cache_refill},
    {0x002b, l3d_cache_rd, l3d_cache_wr},
    {0x002d, l2d_tlb_refill_rd, l2d_tlb_refill_wr},
    {0x002f, l2d_tlb_rd, l2d_tlb_wr},
    {0x0032, ll_cache_rd},
    {0x0033, ll_cache_miss_rd},
    {0x0034, dtlb_walk},
    {0x0035, itlb_walk},
    {0x0036, ll_cache_rd},
    {0x0037, ll_cache_miss_rd},
    {0x0039, l1d_cache_refill_rd},
    {0x003a, op_retired},
    {0x003b, op_spec},
    {0x003c, stall_frontend, stall_backend},
    {0x003d, stall_slot_backend},
    {0x003e, stall_slot_frontend, stall_slot_extra},
    {0x003f, stall_slot_frontend, stall_slot_backend, stall_slot_extra},
    {0x0040, l1d_cache_rd},
    {0x0041, l1d_cache_wr},
    {0x0042, l1d_cache_refill_rd},
    {0x0043, l1d_cache_refill_wr},
    {0x0046, l1d_cache_wb_victim},
    {0x004c, l1d_tlb_refill_rd},
    {0x004d, l1d_tlb_refill_wr},
    {0x004e, l1d_tlb_rd},
    {0x004f, l1d_tlb_wr},
    {0x0050, l2d_cache_rd},
    {0x0051, l2d_cache_wr},
    {0x0052, l2d_cache_refill_rd},
    {0x0053, l2d_cache_refill_wr},
    {0x0056, l2d_cache_wb},
    {0x005c, l2d_tlb_refill_rd},
    {0x005d, l2d_tlb_refill_wr},
    {0x005e, l2d_tlb_rd},
    {0x005f, l2d_tlb_wr},
    {0x0060, bus_access_rd},
    {0x0061, bus_access_wr},
    {0x0066, l1d_cache_rd},
    {0x0067, l1d_cache_wr},
    {0x0068, unaligned_ld_spec},
    {0x0069, unaligned_st_spec},
    {0x006a, unaligned_ld_spec, unaligned_st_spec},
    {0x006c, ldrex_spec},
    {0x006d, strex_pass_spec},
    {0x006e, strex_fail_spec},
    {0x006f, strex_pass_spec, strex_fail_spec},
    {0x0070, ld_spec},
    {0x0071, st_spec},
    {0x0072, ld_spec, st_spec},
    {0x0073, dp_spec},
    {0x0074, ase_spec},
    {0x0075, vfp_spec},
    {0x0076, pc_write_spec},
    {0x0077, crypto_spec},
    {0x0078, br_immed_spec},
    {0x0079, br_return_spec},
    {0x007a, br_indirect_spec},
    {0x007c, isb_spec},
    {0x007d, dsb_spec},
    {0x007e, dmb_spec},
    {0x0082, exc_svc},
    {0x0084, exc_dabort},
    {0x0086, exc_irq},
    {0x0090, rc_ld_spec},
    {0x0091, rc_st_spec},
    {0x00a0, l3d_cache_rd},
    {0x00a1, l3d_cache_wr},
    {0x4000, sample_pop},
    {0x4001, sample_feed},
    {0x4002, sample_filtrate},
    {0x4003, sample_collision},
    {0x4005, stall_backend_mem},
    {0x4006, l1i_cache_refill},
    {0x4009, l2d_cache_refill_rd},
    {0x400b, l3d_cache_refill},
    {0x8004, ase_spec},
    {0x8005, ase_spec},
    {0x8008, op_spec},
    Row(0x8107, br_retired).less(br_taken_retired),
    {0x810e, br_return_retired},
    Row(0x811c, br_retired).less(br_mis_pred_retired),
    Row(0x811d, br_retired).less(br_immed_retired),
    {0x8124, l1i_cache},
    {0x8130, l1d_tlb_rd, l1d_tlb_wr},
    {0x8131, l1i_tlb},
    {0x813c, dtlb_walk},
    {0x813d, itlb_walk},
    {0x8140, l1d_cache_rd, l1d_cache_wr},
    {0x8141, l1i_cache},
    {0x8144, l1d_cache_refill_rd, l1d_cache_refill_wr},
    {0x8148, l2d_cache_rd, l2d_cache_wr},
    {0x814c, l2d_cache_refill_rd, l2d_cache_refill_wr},
    {0x8150, l3d_cache_rd, l3d_cache_wr},
    {0x8152, l3d_cache_refill},
    {0x8158, stall_frontend_membound},
    {0x8159, stall_frontend_l1i},
    {0x815b, stall_frontend_mem},
    {0x815c, stall_frontend_tlb},
    Row(0x8160, stall_frontend).less(stall_frontend_membound),
    {0x8161, stall_frontend_flow},
    {0x8162, stall_frontend_flush},
    {0x8164, stall_backend_membound},
    {0x8165, stall_backend_l1d},
    {0x8167, stall_backend_tlb},
    {0x8168, stall_backend_st},
    Row(0x816a, stall_backend).less(stall_backend_membound),
    Row(0x816b, stall_backend).less(stall_backend_membound),
};

constexpr bool is_sorted_by_code() {
  for (usize i = 1; i < std::size(kEvents); ++i) {
    if (kEvents[i - 1].code >= kEvents[i].code) return false;
  }
  return true;
}
static_assert(is_sorted_by_code());

}  // namespace

const EventTerms* find_event(u16 code) {
  const auto* const found = std::lower_bound(std::begin(kEvents), std::end(kEvents), code,
                                             [](const EventTerms& event, u16 wanted) { return event.code < wanted; });
  return found != std::end(kEvents) && found->code == code ? found : nullptr;
}

u64 event_value(const SignalCounts& counts, Level level, u16 code) {
  const EventTerms* const event = find_event(code);
  return event != nullptr ? value_of(*event, counts, level) : 0;
}

bool event_is_modelled(u16 code) {
  return find_event(code) != nullptr;
}

}  // namespace wperf::sim
