// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/core_model.h"

#include <algorithm>

namespace wperf::sim {
namespace {

struct TraitSignal {
  Trait trait;
  Signal signal;
};
constexpr TraitSignal kTraitSignals[] = {
    {Trait::load, Signal::ld_spec},
    {Trait::store, Signal::st_spec},
    {Trait::data_processing, Signal::dp_spec},
    {Trait::advanced_simd, Signal::ase_spec},
    {Trait::floating_point, Signal::vfp_spec},
    {Trait::crypto, Signal::crypto_spec},
    {Trait::load_exclusive, Signal::ldrex_spec},
    {Trait::acquire, Signal::rc_ld_spec},
    {Trait::release, Signal::rc_st_spec},
    {Trait::isb, Signal::isb_spec},
    {Trait::dsb, Signal::dsb_spec},
    {Trait::dmb, Signal::dmb_spec},
    {Trait::branch_immediate, Signal::br_immed_spec},
    {Trait::branch_immediate, Signal::br_immed_retired},
    {Trait::branch_immediate, Signal::br_retired},
    {Trait::branch_immediate, Signal::br_pred},
    {Trait::branch_indirect, Signal::br_indirect_spec},
    {Trait::branch_indirect, Signal::br_retired},
    {Trait::branch_indirect, Signal::br_pred},
    {Trait::branch_return, Signal::br_return_spec},
    {Trait::branch_return, Signal::br_return_retired},
};

u64 of(const BlockContents& contents, Trait trait) {
  return contents.traits[static_cast<usize>(trait)];
}

// The waits of an instruction that do not depend on memory, in cycles.
u64 frontend_wait(const BlockContents& contents) {
  return of(contents, Trait::isb) * kIsbWait;
}
u64 backend_wait(const BlockContents& contents) {
  return of(contents, Trait::dsb) * kDsbWait + of(contents, Trait::integer_divide) * kIntegerDivideWait +
         of(contents, Trait::float_divide) * kFloatDivideWait;
}

}  // namespace

CoreModel::CoreModel(const CoreConfig& config, SharedMemorySystem& shared)
    : issue_width_(std::max(1U, config.issue_width)),
      issue_cost_(kOneCycle / issue_width_),
      recovery_(recovery_of(config)),
      counts_extra_slot_(config.counts_extra_slot),
      memory_(config, shared),
      kernel_base_(0xffff800000000000 + (u64{config.index} << 30)) {
  select(Level::user, 0);
}

CoreModel::Recovery CoreModel::recovery_of(const CoreConfig& config) {
  if (!config.counts_slots) return {};
  const u32 wrong_path = kWrongPathCycles * std::max(1U, config.issue_width);
  const u32 frontend = config.recovers_in_backend ? kFrontendRecovery : kRecoveryWait;
  return {frontend, kRecoveryWait - frontend, frontend, wrong_path};
}

void CoreModel::select(Level level, u32 space_id) {
  counts_ = &signals_.at[static_cast<usize>(level)];
  clock_ = &clocks_[static_cast<usize>(level)];
  memory_.select(space_id, *counts_);
}

u64 CoreModel::cost_of(const BlockContents& contents) const {
  return contents.micro_ops * issue_cost_ + (frontend_wait(contents) + backend_wait(contents)) * kOneCycle;
}

void CoreModel::price(Block& block) const {
  const u64 last = block.address + block.size - 1;
  block.cost = static_cast<u32>(cost_of(block.contents));
  block.line_count = static_cast<u32>(last / kLineSize - block.address / kLineSize + 1);
  block.uses_vectors = of(block.contents, Trait::vector_register) != 0;
  block.watch_accesses = of(block.contents, Trait::zero_line) != 0 || of(block.contents, Trait::store_exclusive) != 0;
}

void CoreModel::retire(const BlockContents& contents, u64 runs, u64 lines) {
  count(Signal::l1i_cache, lines * runs);
  for (const auto& [trait, signal] : kTraitSignals) count(signal, of(contents, trait) * runs);
  count(Signal::inst_retired, contents.instructions * runs);
  count(Signal::inst_spec, contents.instructions * runs);
  count(Signal::op_retired, contents.micro_ops * runs);
  count(Signal::op_spec, contents.micro_ops * runs);
  exclusive_stores_ += of(contents, Trait::store_exclusive) * runs;
  count(Signal::stall_frontend_flow, frontend_wait(contents) * runs);
  clock_->frontend += frontend_wait(contents) * runs * kOneCycle;
  clock_->backend += backend_wait(contents) * runs * kOneCycle;
}

u64 CoreModel::share_of(const BlockContents& contents, u64 lines, Signal signal) const {
  switch (signal) {
    case Signal::l1i_cache:
    case Signal::l1i_tlb:
      return lines;
    case Signal::inst_retired:
    case Signal::inst_spec:
      return contents.instructions;
    case Signal::op_retired:
    case Signal::op_spec:
      return contents.micro_ops;
    case Signal::stall_frontend:
    case Signal::stall_frontend_flow:
      return frontend_wait(contents);
    case Signal::stall_backend:
      return backend_wait(contents);
    case Signal::stall_slot_frontend:
      return frontend_wait(contents) * issue_width_;
    case Signal::stall_slot_backend:
      return backend_wait(contents) * issue_width_;
    case Signal::strex_fail_spec:
      return of(contents, Trait::store_exclusive);
    default:
      break;
  }
  u64 result = 0;
  for (const auto& [trait, own] : kTraitSignals) {
    if (own == signal) result += of(contents, trait);
  }
  return result;
}

CoreModel::Live CoreModel::live(Signal signal) const {
  const Clock& clock = clocks_[static_cast<usize>(Level::user)];
  const auto counted = [this](Signal as) {
    return &signals_.at[static_cast<usize>(Level::user)][static_cast<usize>(as)];
  };
  switch (signal) {
    case Signal::cycles:
    case Signal::bus_cycles:
      return {&clock.cycles, kCycleBits, 1};
    case Signal::stall_frontend:
      return {&clock.frontend, kCycleBits, 1};
    case Signal::stall_slot_frontend:
      return {&clock.frontend, kCycleBits, issue_width_};
    case Signal::stall_backend:
      return {&clock.backend, kCycleBits, 1};
    case Signal::stall_slot_backend:
      return {&clock.backend, kCycleBits, issue_width_};
    case Signal::stall_backend_membound:
      return {&clock.backend_memory, kCycleBits, 1};
    case Signal::stall_slot_extra:
      return counts_extra_slot_ ? Live{&clock.cycles, kCycleBits, 1} : Live{};
    case Signal::op_spec:
      return {counted(Signal::br_mis_pred_retired), 0, recovery_.wrong_path};
    case Signal::br_mis_pred:
      return {counted(Signal::br_mis_pred_retired), 0, 1};
    case Signal::pc_write_spec:
      return {counted(Signal::br_taken_retired), 0, 1};
    case Signal::l1d_tlb_rd:
      return {counted(Signal::l1d_cache_rd), 0, 1};
    case Signal::l1d_tlb_wr:
      return {counted(Signal::l1d_cache_wr), 0, 1};
    case Signal::strex_fail_spec:
      return {counted(Signal::strex_pass_spec), 0, -1};
    default:
      break;
  }
  BlockContents any;
  any.traits.fill(1);
  any.instructions = any.micro_ops = 1;
  if (share_of(any, 1, signal) != 0) return {};
  return {counted(signal), 0, 1};
}

void CoreModel::retire_part(const Block& block, const BlockContents& executed) {
  clock_->cycles -= block.cost - cost_of(executed);
  retire(executed, 1, block.line_count);
}

ModelParts CoreModel::parts() {
  const auto user = [this](Signal signal) {
    return &signals_.at[static_cast<usize>(Level::user)][static_cast<usize>(signal)];
  };
  ModelParts result;
  result.cycles = &clocks_[static_cast<usize>(Level::user)].cycles;
  result.taken_branches = user(Signal::br_taken_retired);
  result.loads = user(Signal::l1d_cache_rd);
  result.stores = user(Signal::l1d_cache_wr);
  result.exclusive_stores = user(Signal::strex_pass_spec);
  predictor_.fill_parts(result);
  memory_.fill_parts(result);
  return result;
}

void CoreModel::wait_for_memory(u32 cycles) {
  const u64 cost = cycles * kOneCycle;
  charge(cost);
  clock_->backend += cost;
  clock_->backend_memory += cost;
  if (clock_->cycles >= alarm_.cycles) [[unlikely]] {
    alarm_.call(alarm_.context);
  }
}

void CoreModel::wait_for_fetch(u32 cycles) {
  charge(cycles * kOneCycle);
  clock_->frontend += cycles * kOneCycle;
}

void CoreModel::take_fault(bool data_abort) {
  select(Level::kernel, 0);
  count(Signal::exc_taken, 1);
  count(Signal::exc_dabort, u64{data_abort});
}

void CoreModel::settle() {
  for (usize level = 0; level < 2; ++level) {
    const auto at = [&](Signal signal) -> u64& { return signals_.at[level][static_cast<usize>(signal)]; };
    const Clock& clock = clocks_[level];
    at(Signal::cycles) = clock.cycles >> kCycleBits;
    at(Signal::bus_cycles) = at(Signal::cycles);
    at(Signal::stall_frontend) = clock.frontend >> kCycleBits;
    at(Signal::stall_backend) = clock.backend >> kCycleBits;
    at(Signal::stall_backend_membound) = clock.backend_memory >> kCycleBits;
    if (counts_extra_slot_) at(Signal::stall_slot_extra) = at(Signal::cycles);
    at(Signal::stall_slot_frontend) = at(Signal::stall_frontend) * issue_width_;
    at(Signal::stall_slot_backend) = at(Signal::stall_backend) * issue_width_;
    at(Signal::br_mis_pred) = at(Signal::br_mis_pred_retired);
    at(Signal::pc_write_spec) = at(Signal::br_taken_retired);
    at(Signal::l1i_tlb) = at(Signal::l1i_cache);
    at(Signal::l1d_tlb_rd) = at(Signal::l1d_cache_rd);
    at(Signal::l1d_tlb_wr) = at(Signal::l1d_cache_wr);
  }
  auto& user = signals_.at[static_cast<usize>(Level::user)];
  user[static_cast<usize>(Signal::strex_fail_spec)] =
      exclusive_stores_ - user[static_cast<usize>(Signal::strex_pass_spec)];
}

}  // namespace wperf::sim
