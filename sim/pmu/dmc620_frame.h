// SPDX-License-Identifier: BSD-3-Clause
// The register frame of one DMC-620 memory controller; it counts its channel's traffic and virtual time.
// driver/core/dmc620_registers.h defines offsets and bits. Mask, match and invert are stored but do not filter: the
// channel model knows bytes, not transactions. Events that cannot be derived from bytes and time count 0.
#pragma once
#include <array>

#include "base/ints.h"
#include "driver/core/dmc620_registers.h"
#include "sim/memory/shared_memory_system.h"

namespace wperf::sim {

// The controller's inputs: the channel's traffic and the time since the machine was opened.
struct DmcInput {
  ChannelSignals traffic;
  u64 now_ns = 0;
};

inline constexpr u64 kDmcClockMhz = 1600;

u64 dmc_clk_event_value(const DmcInput& input, u32 event);
u64 dmc_clkdiv2_event_value(const DmcInput& input, u32 event);

class Dmc620Frame {
 public:
  u32 read32(u64 offset, const DmcInput& now);
  void write32(u64 offset, u32 value, const DmcInput& now);

 private:
  struct Counter {
    std::array<u32, 4> filters{};  // mask and match, as written
    u32 control = 0, value = 0;
    u64 seen = 0;
  };
  static u64 event_value(u32 index, u32 control, const DmcInput& now);
  void synchronize(const DmcInput& now);

  std::array<Counter, driver::dmc620::kCounters> counters_{};
  u32 overflow_clkdiv2_ = 0, overflow_clk_ = 0;
};

}  // namespace wperf::sim
