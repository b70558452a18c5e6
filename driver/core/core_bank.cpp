// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/core_bank.h"

#include "base/bits.h"
#include "driver/core/pmu_switch.h"

namespace wperf::driver {

CoreBank::CoreBank(Hal& hal, CoreRegisters& found, const u8* map, u32 used, bool kernel)
    : hal_(hal), found_(found), map_(map), used_(used), kernel_(kernel) {
  for (u32 i = 0; i < used_; ++i) {
    mask_ |= u64{1} << map_[i];
  }
}

void CoreBank::claim() {
  found_.pmcr = hal_.read_register(Register::pmcr);
  found_.enabled = hal_.read_register(Register::pmcntenset);
  found_.interrupts_enabled = hal_.read_register(Register::pmintenset);
  for (u32 i = 0; i < used_; ++i) {
    found_.event_types[i] = hal_.read_register(event_type(map_[i]));
  }
  // A 64-bit counter has 64 bits regardless of PMCR.LP, which only selects the bit at which it overflows.
  found_.counter_bits = has_long_counters(hal_.read_register(Register::id_aa64dfr0)) ? 64 : 32;
  prepare();
}

void CoreBank::prepare() {
  halt();
  hal_.write_register(Register::pmintenclr, mask_);
  hal_.write_register(Register::pmovsclr, mask_);
  set_pmu_switch(hal_, true);
  hal_.synchronize();
}

void CoreBank::give_back() {
  halt();
  hal_.write_register(Register::pmovsclr, mask_);
  for (u32 i = 0; i < used_; ++i) {
    hal_.write_register(event_type(map_[i]), found_.event_types[i]);
  }
  hal_.write_register(Register::pmcntenset, found_.enabled & mask_);
  hal_.write_register(Register::pmintenset, found_.interrupts_enabled & mask_);
  give_back_pmu_switch(hal_, found_.pmcr, found_.enabled, mask_);
  hal_.synchronize();
}

void CoreBank::set_event(u32 counter, u32 event) {
  hal_.write_register(event_type(map_[counter]), filter() | (event & kEventMask));
  hal_.write_register(event_counter(map_[counter]), kFirstCount);
}

void CoreBank::run() {
  hal_.synchronize();  // event types and values are written first
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

u64 CoreBank::setup_of(u32 counter) {
  const u64 on = hal_.read_register(Register::pmcr) & kPmcrEnable;
  const u64 enabled = bit_field(hal_.read_register(Register::pmcntenset), map_[counter], 1);
  return hal_.read_register(event_type(map_[counter])) << 2 | enabled << 1 | on;
}

// Returns false if the counter counts only every 64th cycle, which PMCR.D selects while PMCR.LC is clear.
bool CoreBank::has_shared_cycles() {
  const u64 pmcr = hal_.read_register(Register::pmcr);
  const bool divided = (pmcr & kPmcrDivideCycles) != 0 && (pmcr & kPmcrLongCycles) == 0;
  return !divided && bit_field(hal_.read_register(Register::pmcntenset), kCycleCounter, 1) != 0;
}

u64 CoreBank::read_shared_cycles() {
  return hal_.read_register(Register::pmccntr);
}

}  // namespace wperf::driver
