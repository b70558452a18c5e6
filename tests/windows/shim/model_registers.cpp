// SPDX-License-Identifier: BSD-3-Clause
// driver/arm64/registers.h on a core that does not exist: Wine runs drivers at EL0, where PMU registers are undefined
// instructions. Models a part of a Cortex-A78's PMU: enable, interrupt and overflow bits, and counters. A counter
// advances by 1000 each time it is stopped, the cycle counter each time it is read. Linked instead of
// driver/arm64/registers.cpp.
#include "driver/arm64/registers.h"
#include "driver/core/pmu_registers.h"
#include "tests/windows/shim/wine_kernel.h"

namespace wperf::driver {
namespace {

constexpr u64 kMidr = 0x411fd410, kDebugFeatures = 0x10305408, kCounters = 6, kStep = 1000;
constexpr u64 kPmcrIdentity = 0x41000000 | kCounters << 11;
constexpr u32 kFirstCounter = static_cast<u32>(Register::event_counter_0);
constexpr u32 kFirstType = static_cast<u32>(Register::event_type_0);

struct Pmu {  // as on Windows, the cycle counter runs
  u64 pmcr = kPmcrEnable | kPmcrLongCycles, enabled = u64{1} << kCycleCounter;
  u64 interrupts = 0, overflows = 0, cycles = 0, cycle_filter = 0;
  u64 counters[kMaxCounters] = {}, types[kMaxCounters] = {};
};
Pmu pmus[shim::kCores];

Pmu& pmu() {
  return pmus[shim::current_core()];
}

void stop_counters(u64 which) {
  if ((pmu().pmcr & kPmcrEnable) == 0) return;
  which &= pmu().enabled;
  for (u32 i = 0; i < kCounters; ++i)
    if ((which >> i & 1) != 0) pmu().counters[i] += kStep;
}

u64 read_cycles() {
  if ((pmu().pmcr & kPmcrEnable) != 0 && (pmu().enabled >> kCycleCounter & 1) != 0) pmu().cycles += kStep;
  return pmu().cycles;
}

// The storage of a register; null for a register without separate storage.
u64* plain_register(Register reg) {
  const u32 number = static_cast<u32>(reg);
  if (number >= kFirstType && number < kFirstType + kMaxCounters) return &pmu().types[number - kFirstType];
  if (number >= kFirstCounter && number < kFirstCounter + kMaxCounters) return &pmu().counters[number - kFirstCounter];
  if (reg == Register::pmccntr) return &pmu().cycles;
  if (reg == Register::pmccfiltr) return &pmu().cycle_filter;
  return nullptr;
}

}  // namespace

__attribute__((noinline)) u64 read_system_register(Register reg) {
  switch (reg) {
    case Register::midr:
      return kMidr;
    case Register::id_aa64dfr0:
      return kDebugFeatures;
    case Register::pmcr:
      return kPmcrIdentity | pmu().pmcr;
    case Register::pmceid0:
      return 0xffffffff;
    case Register::pmcntenset:
    case Register::pmcntenclr:
      return pmu().enabled;
    case Register::pmintenset:
    case Register::pmintenclr:
      return pmu().interrupts;
    case Register::pmovsclr:
      return pmu().overflows;
    case Register::pmccntr:
      return read_cycles();
    case Register::clusterpmcr:
      __asm__ volatile("udf #0");  // a core without a DSU: the driver catches it
      return 0;
    default:
      break;
  }
  const u64* found = plain_register(reg);
  return found == nullptr ? 0 : *found;
}

void write_system_register(Register reg, u64 value) {
  switch (reg) {
    case Register::pmcr:
      if ((value & kPmcrEnable) == 0) stop_counters(~u64{0});
      pmu().pmcr = value & (kPmcrEnable | kPmcrLongCycles);
      return;
    case Register::pmcntenset:
      pmu().enabled |= value;
      return;
    case Register::pmcntenclr:
      stop_counters(value);
      pmu().enabled &= ~value;
      return;
    case Register::pmintenset:
      pmu().interrupts |= value;
      return;
    case Register::pmintenclr:
      pmu().interrupts &= ~value;
      return;
    case Register::pmovsclr:
      pmu().overflows &= ~value;
      return;
    default:
      break;
  }
  if (u64* found = plain_register(reg)) *found = value;
}

void instruction_barrier() {}
void profiling_barrier() {}  // a core without SPE

}  // namespace wperf::driver
