// SPDX-License-Identifier: BSD-3-Clause
// The PMU of one core, or of one cluster, of fake_hal.h: registers, and counters that count the test's events.
#pragma once
#include <algorithm>
#include <functional>

#include "base/event_class.h"
#include "driver/core/pmu_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

struct FakePmu {
  u64 pmcr = 0, enabled = 0, overflow = 0, interrupts = 0, selected = 0, cycles = 0, cycle_filter = 0;
  u64 types[kMaxCounters] = {}, values[kMaxCounters] = {};
  // equality except for the values, and for the shared cycle counter's overflow
  bool operator==(const FakePmu& other) const {
    const u64 flags = ~(u64{1} << kCycleCounter);
    return pmcr == other.pmcr && enabled == other.enabled && ((overflow ^ other.overflow) & flags) == 0 &&
           interrupts == other.interrupts && selected == other.selected && cycle_filter == other.cycle_filter &&
           std::equal(types, types + kMaxCounters, other.types);
  }

  // The flags of overflows that interrupt the core.
  u64 raised() const { return (pmcr & kPmcrEnable) != 0 ? overflow & interrupts : 0; }

  // Advances one step of time: happened(type) returns how often the event of a counter with this type has happened.
  // `width`: bits of each counter.
  template <class Happened>
  void count(u32 counters, u32 width, const Happened& happened) {
    if ((pmcr & kPmcrEnable) == 0) {
      return;
    }
    const u32 overflow_width = (pmcr & kPmcrLongEvents) != 0 ? width : 32;
    for (u32 i = 0; i < counters; ++i) {
      if (bit_field(enabled, i, 1) != 0) {
        values[i] = add(values[i], happened(types[i]), width, overflow_width, overflow, i);
      }
    }
  }
  template <class Happened>
  void count_cycles(const Happened& happened) {
    if ((pmcr & kPmcrEnable) == 0 || bit_field(enabled, kCycleCounter, 1) == 0) {
      return;
    }
    const u32 overflow_width = (pmcr & kPmcrLongCycles) != 0 ? 64 : 32;
    cycles = add(cycles, happened(cycle_filter | kCyclesEvent), 64, overflow_width, overflow, kCycleCounter);
  }
  // The sum in `width` bits; sets bit `bit` of `overflow` if it does not fit into `overflow_width` bits.
  static u64 add(u64 value, u64 more, u32 width, u32 overflow_width, u64& overflow, u32 bit) {
    const auto over = [](u64 low, u64 delta, u32 bits) {
      return bits == 64 ? low + delta < low : ((low & 0xffff'ffff) + delta) >> 32 != 0;
    };
    if (over(value, more, overflow_width)) {
      overflow |= u64{1} << bit;
    }
    return width == 64 ? value + more : (value + more) & 0xffff'ffff;
  }

  // Null if the register is not part of a core's or a cluster's PMU.
  u64* find(Register reg) {
    const u32 index = static_cast<u32>(reg) & 0xff;
    if (reg >= Register::event_counter_0) {
      return reg >= Register::event_type_0 ? &types[index] : &values[index];
    }
    switch (reg) {
      case Register::pmcr:
      case Register::clusterpmcr:
        return &pmcr;
      case Register::pmcntenset:
      case Register::pmcntenclr:
      case Register::clusterpmcntenset:
      case Register::clusterpmcntenclr:
        return &enabled;
      case Register::pmovsclr:
      case Register::clusterpmovsclr:
        return &overflow;
      case Register::pmintenset:
      case Register::pmintenclr:
        return &interrupts;
      case Register::pmccntr:
        return &cycles;
      case Register::pmccfiltr:
        return &cycle_filter;
      case Register::clusterpmselr:
        return &selected;
      case Register::clusterpmxevtyper:
        return &types[selected];
      case Register::clusterpmxevcntr:
        return &values[selected];
      default:
        return nullptr;
    }
  }

  // Returns the reason why writing `value` is wrong, or null. `ours` has the counters that the driver has reserved.
  const char* store(Register reg, u64 value, u64 ours) {
    switch (reg) {
      case Register::pmcr:
      case Register::clusterpmcr:
        return store_control(reg, value);
      case Register::pmcntenset:
      case Register::clusterpmcntenset:
      case Register::pmintenset:
        *find(reg) |= value;
        break;
      case Register::pmcntenclr:
      case Register::clusterpmcntenclr:
      case Register::pmovsclr:
      case Register::clusterpmovsclr:
      case Register::pmintenclr:
        *find(reg) &= ~value;
        break;
      case Register::clusterpmselr:
      case Register::clusterpmxevtyper:
        *find(reg) = value;
        return nullptr;
      case Register::clusterpmxevcntr:
        *find(reg) = value & 0xffff'ffff;
        return nullptr;
      case Register::pmccntr:
      case Register::pmccfiltr:
        return "the system's cycle counter written";
      default:
        return "a register the driver has no business writing";
    }
    const bool of_cluster = reg >= Register::clusterpmcr;
    return of_cluster || (value & ~ours) == 0 ? nullptr : "enable or overflow bit of a counter that is not ours";
  }
  const char* store_counter(Register reg, u64 value, u32 width) {
    const bool runs = bit_field(enabled, static_cast<u32>(reg) & 0xff, 1) != 0;
    *find(reg) = reg >= Register::event_type_0 || width == 64 ? value : value & 0xffff'ffff;
    return runs ? "a counter programmed while it runs" : nullptr;
  }

 private:
  const char* store_control(Register reg, u64 value) {
    const u64 changed = value ^ pmcr;
    pmcr = value;
    if ((value & (kPmcrResetEvents | kPmcrResetCycles)) != 0) {
      return reg == Register::clusterpmcr ? "cluster counters reset" : "counters of others reset";
    }
    const bool others_change = reg == Register::pmcr && (changed & ~kPmcrEnable) != 0;
    return others_change ? "PMCR changed for the counters of others" : nullptr;
  }
};

// How often `event` happens on a unit in one step of time, at EL1 or at EL0 (uncore: EL0 only).
using FakeEvents = std::function<u64(EventClass event_class, u32 unit, u32 event, bool el1)>;

// How often the event of a counter of a core has happened at the levels that its type register chooses.
inline u64 happened_on_core(const FakeEvents& events, u32 core, u64 type) {
  const u32 event = static_cast<u32>(type & kEventMask);
  const bool el1 = (type & kExcludeEl1) == 0;
  const bool el0 = (type & (u64{1} << 30)) == 0;
  return (el0 ? events(EventClass::core, core, event, false) : 0) +
         (el1 ? events(EventClass::core, core, event, true) : 0);
}

}  // namespace wperf::driver
