// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/core_bank.h"

namespace wperf::driver {
namespace {

constexpr u64 kCycles = u64{1} << kCycleCounter;

}  // namespace

CoreBank::CoreBank(Hal& hal, CoreRegisters& found, const u8* map, u32 used, bool kernel)
    : hal_(hal), found_(found), map_(map), used_(used), kernel_(kernel) {
  for (u32 i = 0; i < used_; ++i) {
    mask_ |= u64{1} << map_[i];
  }
}

void CoreBank::claim() {
  found_.pmcr = hal_.read_register(Register::pmcr);
  found_.pmccfiltr = hal_.read_register(Register::pmccfiltr);
  found_.enabled = hal_.read_register(Register::pmcntenset);
  found_.interrupts_enabled = hal_.read_register(Register::pmintenset);
  for (u32 i = 0; i < used_; ++i) {
    found_.event_types[i] = hal_.read_register(event_type(map_[i]));
  }
  const bool long_counters = has_long_counters(hal_.read_register(Register::id_aa64dfr0));
  found_.counter_bits = long_counters ? 64 : 32;

  halt();
  hal_.write_register(Register::pmintenclr, mask_);
  hal_.write_register(Register::pmovsclr, mask_);
  // Others may be counting on this core: their counters must not be reset, and a cycle is a cycle.
  const u64 kept = found_.pmcr & ~(kPmcrResetEvents | kPmcrResetCycles | kPmcrDivideCycles);
  hal_.write_register(Register::pmcr, kept | kPmcrEnable | (long_counters ? kPmcrLongEvents : 0));
  hal_.write_register(Register::pmccfiltr, filter());
  hal_.write_register(Register::pmcntenset, kCycles);
  hal_.synchronize();
}

void CoreBank::give_back() {
  halt();
  hal_.write_register(Register::pmovsclr, mask_);
  for (u32 i = 0; i < used_; ++i) {
    hal_.write_register(event_type(map_[i]), found_.event_types[i]);
  }
  hal_.write_register(Register::pmccfiltr, found_.pmccfiltr);
  if ((found_.enabled & kCycles) == 0) {
    hal_.write_register(Register::pmcntenclr, kCycles);
  }
  hal_.write_register(Register::pmcntenset, found_.enabled & mask_);
  hal_.write_register(Register::pmintenset, found_.interrupts_enabled & mask_);
  hal_.write_register(Register::pmcr, found_.pmcr & ~(kPmcrResetEvents | kPmcrResetCycles));
  hal_.synchronize();
}

void CoreBank::set_event(u32 counter, u32 event) {
  hal_.write_register(event_type(map_[counter]), filter() | (event & kEventMask));
  hal_.write_register(event_counter(map_[counter]), 0);
}

void CoreBank::run() {
  hal_.synchronize();  // types and values first
  hal_.write_register(Register::pmcntenset, mask_);
  hal_.synchronize();
}

void CoreBank::halt() {
  hal_.write_register(Register::pmcntenclr, mask_);
  hal_.synchronize();
}

u64 CoreBank::read_counter(u32 counter) {
  return hal_.read_register(event_counter(map_[counter]));
}

u32 CoreBank::take_overflows() {
  const u64 flags = hal_.read_register(Register::pmovsclr) & mask_;
  if (flags == 0) {
    return 0;
  }
  hal_.write_register(Register::pmovsclr, flags);
  hal_.synchronize();
  u32 overflows = 0;
  for (u32 i = 0; i < used_; ++i) {
    overflows |= static_cast<u32>(bit_field(flags, map_[i], 1)) << i;
  }
  return overflows;
}

u64 CoreBank::read_cycles() {
  return hal_.read_register(Register::pmccntr);
}

}  // namespace wperf::driver
