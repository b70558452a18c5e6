// SPDX-License-Identifier: BSD-3-Clause
// The PMU of one memory channel of fake_hal.h: a frame of device memory with counters that count the test's events.
#pragma once
#include "base/event_class.h"
#include "driver/core/dmc620_registers.h"
#include "driver/core/fake_pmu.h"

namespace wperf::driver {

struct FakeDmc {
  u32 words[dmc620::kFrameSize / 4] = {};
  u32 identity[dmc620::kIdentitySize / 4] = {};  // the value that software reads
  u32 mapped = 0, identity_mapped = 0;
  FakeDmc() {
    for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
      identity[it.offset / 4] = it.value;
    }
  }

  // One step of time: happened(event_class, event) is how often an event has happened.
  template <class Happened>
  void count(const Happened& happened) {
    for (u32 i = 0; i < dmc620::kCounters; ++i) {
      const u32 control = words[dmc620::counter_register(i, dmc620::kControl) / 4];
      if ((control & dmc620::kControlEnable) == 0) {
        continue;
      }
      const bool clk = i >= dmc620::kFirstClkCounter;
      u32& value = words[dmc620::counter_register(i, dmc620::kValue) / 4];
      u32& status = words[(clk ? dmc620::kOverflowStatusClk : dmc620::kOverflowStatusClkdiv2) / 4];
      u64 overflow = status;
      const u64 more = happened(clk ? EventClass::dmc_clk : EventClass::dmc_clkdiv2, dmc620::event_of_control(control));
      value = static_cast<u32>(FakePmu::add(value, more, 32, 32, overflow, clk ? i - dmc620::kFirstClkCounter : i));
      status = static_cast<u32>(overflow);
    }
  }
};

}  // namespace wperf::driver
