// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/dmc_bank.h"

#include "base/bits.h"

namespace wperf::driver {

using namespace dmc620;

DmcBank::DmcBank(Hal& hal, DmcRegisters& found, void* frame, bool clkdiv2, u32 used)
    : hal_(hal),
      found_(found),
      frame_(frame),
      first_(clkdiv2 ? kFirstClkdiv2Counter : kFirstClkCounter),
      overflow_status_(clkdiv2 ? kOverflowStatusClkdiv2 : kOverflowStatusClk),
      used_(used) {}

void DmcBank::claim() {
  for (u32 i = 0; i < used_; ++i) {
    found_.control[i] = read(i, kControl);
    found_.mask_low[i] = read(i, kMaskLow);
    found_.mask_high[i] = read(i, kMaskHigh);
  }
  prepare();
}

void DmcBank::prepare() {
  for (u32 i = 0; i < used_; ++i) {
    write(i, kControl, 0);
    write(i, kMaskLow, 0);
    write(i, kMaskHigh, 0);
  }
  hal_.write_device(frame_, overflow_status_, 0);
}

void DmcBank::give_back() {
  halt();
  hal_.write_device(frame_, overflow_status_, 0);
  for (u32 i = 0; i < used_; ++i) {
    write(i, kMaskLow, found_.mask_low[i]);
    write(i, kMaskHigh, found_.mask_high[i]);
    write(i, kControl, found_.control[i]);
  }
}

void DmcBank::set_event(u32 counter, u32 event) {
  write(counter, kControl, control_of_event(event));
  write(counter, kValue, kFirstCount);
}

void DmcBank::run() {
  for (u32 i = 0; i < used_; ++i) {
    write(i, kControl, read(i, kControl) | kControlEnable);
  }
}

void DmcBank::halt() {
  for (u32 i = 0; i < used_; ++i) {
    write(i, kControl, read(i, kControl) & ~kControlEnable);
  }
}

u64 DmcBank::setup_of(u32 counter) {
  return read(counter, kControl);
}

u64 DmcBank::read_counter(u32 counter) {
  return read(counter, kValue);
}

u32 DmcBank::take_overflows() {
  const u32 flags = hal_.read_device(frame_, overflow_status_);
  if (flags != 0) {
    hal_.write_device(frame_, overflow_status_, 0);
  }
  return flags & low_bits(used_);
}

u32 DmcBank::read(u32 counter, u64 reg) {
  return hal_.read_device(frame_, counter_register(first_ + counter, reg));
}

void DmcBank::write(u32 counter, u64 reg, u32 value) {
  hal_.write_device(frame_, counter_register(first_ + counter, reg), value);
}

}  // namespace wperf::driver
