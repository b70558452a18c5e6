// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/dsu_bank.h"

#include "base/bits.h"

namespace wperf::driver {

void DsuBank::claim() {
  found_.pmcr = hal_.read_register(Register::clusterpmcr);
  found_.enabled = hal_.read_register(Register::clusterpmcntenset);
  found_.selected = hal_.read_register(Register::clusterpmselr);
  for (u32 i = 0; i < used_; ++i) {
    select(i);
    found_.event_types[i] = hal_.read_register(Register::clusterpmxevtyper);
  }
  prepare();
}

void DsuBank::prepare() {
  halt();
  hal_.write_register(Register::clusterpmovsclr, mask());
  const u64 kept = hal_.read_register(Register::clusterpmcr) & ~(kPmcrResetEvents | kPmcrResetCycles);
  hal_.write_register(Register::clusterpmcr, kept | kPmcrEnable);
  hal_.synchronize();
}

void DsuBank::give_back() {
  halt();
  hal_.write_register(Register::clusterpmovsclr, mask());
  for (u32 i = 0; i < used_; ++i) {
    select(i);
    hal_.write_register(Register::clusterpmxevtyper, found_.event_types[i]);
  }
  hal_.write_register(Register::clusterpmselr, found_.selected);
  hal_.write_register(Register::clusterpmcntenset, found_.enabled & mask());
  const u64 begun = hal_.read_register(Register::clusterpmcntenset) & ~(found_.enabled | mask());
  if ((found_.pmcr & kPmcrEnable) == 0 && begun == 0) {  // another user's counters have not begun to count since
    const u64 others = hal_.read_register(Register::clusterpmcr) & ~(kPmcrResetEvents | kPmcrResetCycles);
    hal_.write_register(Register::clusterpmcr, others & ~kPmcrEnable);
  }
  hal_.synchronize();
}

void DsuBank::set_event(u32 counter, u32 event) {
  select(counter);
  hal_.write_register(Register::clusterpmxevtyper, event & kEventMask);
  hal_.write_register(Register::clusterpmxevcntr, kFirstCount);
}

void DsuBank::run() {
  hal_.synchronize();  // event types and values are written first
  hal_.write_register(Register::clusterpmcntenset, mask());
  hal_.synchronize();
}

void DsuBank::halt() {
  hal_.write_register(Register::clusterpmcntenclr, mask());
  hal_.synchronize();
}

u64 DsuBank::setup_of(u32 counter) {
  select(counter);
  const u64 on = hal_.read_register(Register::clusterpmcr) & kPmcrEnable;
  const u64 enabled = bit_field(hal_.read_register(Register::clusterpmcntenset), counter, 1);
  return hal_.read_register(Register::clusterpmxevtyper) << 2 | enabled << 1 | on;
}

u64 DsuBank::read_counter(u32 counter) {
  select(counter);
  return hal_.read_register(Register::clusterpmxevcntr);
}

u32 DsuBank::take_overflows() {
  const u64 flags = hal_.read_register(Register::clusterpmovsclr) & mask();
  if (flags != 0) {
    hal_.write_register(Register::clusterpmovsclr, flags);
    hal_.synchronize();
  }
  return static_cast<u32>(flags);
}

void DsuBank::select(u32 counter) {
  hal_.write_register(Register::clusterpmselr, counter);
  hal_.synchronize();
}

}  // namespace wperf::driver
