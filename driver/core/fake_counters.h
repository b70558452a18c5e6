// SPDX-License-Identifier: BSD-3-Clause
// The counters of fake_hal.h: the PMUs of cores and clusters and those of memory channels count the test's events, and
// note which overflow.
#pragma once
#include <algorithm>
#include <functional>

#include "base/event_class.h"
#include "driver/core/dmc620_registers.h"
#include "driver/core/pmu_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

// How often `event` happens on a unit in one step of time, at EL1 or at EL0 (uncore: EL0 only).
using FakeEvents = std::function<u64(EventClass event_class, u32 unit, u32 event, bool el1)>;

inline u64 add_to_counter(u64 value, u64 more, u32 width, u32 overflow_width, u64& overflow, u32 bit) {
  const auto over = [](u64 low, u64 delta, u32 bits) {
    return bits == 64 ? low + delta < low : ((low & 0xffff'ffff) + delta) >> 32 != 0;
  };
  if (over(value, more, overflow_width)) {
    overflow |= u64{1} << bit;
  }
  return width == 64 ? value + more : (value + more) & 0xffff'ffff;
}
inline u64 filtered(const FakeEvents& events, u32 core, u64 type) {
  const u32 event = static_cast<u32>(type & kEventMask);
  const bool el1 = (type & kExcludeEl1) == 0;
  const bool el0 = (type & (u64{1} << 30)) == 0;
  return (el0 ? events(EventClass::core, core, event, false) : 0) +
         (el1 ? events(EventClass::core, core, event, true) : 0);
}

struct FakePmu {  // the PMU of a core or a cluster
  u64 pmcr = 0, enabled = 0, overflow = 0, interrupts = 0, selected = 0, cycles = 0, cycle_filter = 0;
  u64 types[kMaxCounters] = {}, values[kMaxCounters] = {};
  // equality except for the values, and for the shared cycle counter's overflow
  bool operator==(const FakePmu& other) const {
    const u64 flags = ~(u64{1} << kCycleCounter);
    return pmcr == other.pmcr && enabled == other.enabled && ((overflow ^ other.overflow) & flags) == 0 &&
           interrupts == other.interrupts && selected == other.selected && cycle_filter == other.cycle_filter &&
           std::equal(types, types + kMaxCounters, other.types);
  }

  void count(u32 number, u32 counters, bool is_long, const FakeEvents& events) {
    if ((pmcr & kPmcrEnable) == 0) {
      return;
    }
    const u32 width = is_long ? 64 : 32;
    const u32 overflow_width = (pmcr & kPmcrLongEvents) != 0 ? width : 32;
    for (u32 i = 0; i < counters; ++i) {
      if (bit_field(enabled, i, 1) != 0) {
        values[i] = add_to_counter(values[i], filtered(events, number, types[i]), width, overflow_width, overflow, i);
      }
    }
    if (bit_field(enabled, kCycleCounter, 1) != 0) {
      const u64 more = filtered(events, number, cycle_filter | kCyclesEvent);
      const u32 cycles_overflow_width = (pmcr & kPmcrLongCycles) != 0 ? 64 : 32;
      cycles = add_to_counter(cycles, more, 64, cycles_overflow_width, overflow, kCycleCounter);
    }
  }
  void count_as_cluster(u32 number, u32 counters, const FakeEvents& events) {
    for (u32 i = 0; (pmcr & kPmcrEnable) != 0 && i < counters; ++i) {
      if (bit_field(enabled, i, 1) != 0) {
        const u64 more = events(EventClass::dsu, number, static_cast<u32>(types[i] & kEventMask), false);
        values[i] = add_to_counter(values[i], more, 32, 32, overflow, i);
      }
    }
  }
  u64 read_as_cluster(Register reg) const {
    switch (reg) {
      case Register::clusterpmcr:
        return pmcr;
      case Register::clusterpmcntenset:
      case Register::clusterpmcntenclr:
        return enabled;
      case Register::clusterpmovsclr:
        return overflow;
      case Register::clusterpmselr:
        return selected;
      case Register::clusterpmxevtyper:
        return types[selected];
      default:
        return values[selected];
    }
  }
  void write_as_cluster(Register reg, u64 value) {
    switch (reg) {
      case Register::clusterpmcr:
        pmcr = value;
        return;
      case Register::clusterpmcntenset:
        enabled |= value;
        return;
      case Register::clusterpmcntenclr:
        enabled &= ~value;
        return;
      case Register::clusterpmovsclr:
        overflow &= ~value;
        return;
      case Register::clusterpmselr:
        selected = value;
        return;
      case Register::clusterpmxevtyper:
        types[selected] = value;
        return;
      case Register::clusterpmxevcntr:
        values[selected] = value & 0xffff'ffff;
        return;
      default:
        return;
    }
  }
};

struct FakeDmcFrame {
  u32 words[dmc620::kFrameSize / 4] = {};
  u32 identity[dmc620::kIdentitySize / 4] = {};  // the value that software reads
  u32 mapped = 0, identity_mapped = 0;
  FakeDmcFrame() {
    for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
      identity[it.offset / 4] = it.value;
    }
  }

  void count(u32 number, const FakeEvents& events) {
    for (u32 i = 0; i < dmc620::kCounters; ++i) {
      const u32 control = words[dmc620::counter_register(i, dmc620::kControl) / 4];
      if ((control & dmc620::kControlEnable) == 0) {
        continue;
      }
      const bool clk = i >= dmc620::kFirstClkCounter;
      u32& value = words[dmc620::counter_register(i, dmc620::kValue) / 4];
      u32& status = words[(clk ? dmc620::kOverflowStatusClk : dmc620::kOverflowStatusClkdiv2) / 4];
      u64 overflow = status;
      const EventClass event_class = clk ? EventClass::dmc_clk : EventClass::dmc_clkdiv2;
      value =
          static_cast<u32>(add_to_counter(value, events(event_class, number, dmc620::event_of_control(control), false),
                                          32, 32, overflow, clk ? i - dmc620::kFirstClkCounter : i));
      status = static_cast<u32>(overflow);
    }
  }
};

}  // namespace wperf::driver
