// SPDX-License-Identifier: BSD-3-Clause
// The counters of one kind (clk or clkdiv2) of one DMC-620 channel. The frame is mapped by dmc_channels.h; any core may
// access the frame. Counters count every transaction: their mask is cleared.
#pragma once
#include "base/ints.h"
#include "driver/core/counter_bank.h"
#include "driver/core/dmc620_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

struct DmcRegisters {  // values before claim(), to be restored
  u32 mask_low[dmc620::kClkdiv2Counters];
  u32 mask_high[dmc620::kClkdiv2Counters];
  u32 control[dmc620::kClkdiv2Counters];
};

class DmcBank final : public CounterBank {
 public:
  DmcBank(Hal& hal, DmcRegisters& found, void* frame, bool clkdiv2, u32 used);

  void claim() override;
  void prepare() override;
  void give_back() override;
  void set_event(u32 counter, u32 event) override;
  void run() override;
  void halt() override;
  u64 setup_of(u32 counter) override;
  u64 read_counter(u32 counter) override;
  u32 take_overflows() override;
  u32 counter_bits() const override { return 32; }

 private:
  u32 read(u32 counter, u64 reg);
  void write(u32 counter, u64 reg, u32 value);

  Hal& hal_;
  DmcRegisters& found_;
  void* frame_;
  u32 first_;  // index of the hardware counter that is counter 0 of this bank
  u64 overflow_status_;
  u32 used_;
};

}  // namespace wperf::driver
