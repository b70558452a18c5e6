// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/dsu_pmu.h"

namespace wperf::sim {
namespace {
using driver::Register;
constexpr u64 kEnable = 1, kResetEvents = 2;
}  // namespace

u64 cluster_event_value(const ClusterSignals& signals, u16 code) {
  switch (code) {
    case 0x11:  // cycles
    case 0x1d:  // bus cycles: the bus runs at the cluster's clock
      return signals.cycles;
    case 0x19:
      return signals.bus_access_rd + signals.bus_access_wr;
    case 0x29:
      return signals.l3d_cache_allocate;
    case 0x2a:
      return signals.l3d_cache_refill_rd + signals.l3d_cache_refill_wr;
    case 0x2b:
      return signals.l3d_cache_rd + signals.l3d_cache_wr;
    case 0x2c:
      return signals.l3d_cache_wb;
    case 0x60:
      return signals.bus_access_rd;
    case 0x61:
      return signals.bus_access_wr;
    case 0xa0:
      return signals.l3d_cache_rd;
    case 0xa1:
      return signals.l3d_cache_wr;
    case 0xa2:
      return signals.l3d_cache_refill_rd;
    case 0xa3:
      return signals.l3d_cache_refill_wr;
    default:
      return 0;
  }
}

DsuPmu::DsuPmu(u32 counters) : count_(counters < 31 ? counters : 31) {}

DsuPmu::Counter* DsuPmu::selected() {
  return selector_ < count_ ? &counters_[selector_] : nullptr;
}

void DsuPmu::synchronize(const ClusterSignals& now) {
  for (u32 index = 0; index < count_; ++index) {
    Counter& counter = counters_[index];
    const u64 value = cluster_event_value(now, counter.event);
    if ((control_ & kEnable) != 0 && (enabled_ >> index & 1) != 0) {
      const u64 sum = counter.value + (value - counter.seen);
      if (sum >> 32 != 0) overflowed_ |= u64{1} << index;
      counter.value = static_cast<u32>(sum);
    }
    counter.seen = value;
  }
}

u64 DsuPmu::read(Register reg, const ClusterSignals& now) {
  synchronize(now);
  const Counter* counter = selected();
  switch (reg) {
    case Register::clusterpmcr:
      return control_ | u64{count_} << 11;
    case Register::clusterpmcntenset:
    case Register::clusterpmcntenclr:
      return enabled_;
    case Register::clusterpmovsclr:
      return overflowed_;
    case Register::clusterpmselr:
      return selector_;
    case Register::clusterpmxevtyper:
      return counter != nullptr ? counter->event : 0;
    case Register::clusterpmxevcntr:
      return counter != nullptr ? counter->value : 0;
    default:
      return 0;
  }
}

void DsuPmu::write(Register reg, u64 value, const ClusterSignals& now) {
  synchronize(now);
  Counter* counter = selected();
  const u64 chosen = value & ((u64{1} << count_) - 1);
  switch (reg) {
    case Register::clusterpmcr:
      if ((value & kResetEvents) != 0)
        for (Counter& each : counters_) each.value = 0;
      control_ = value & kEnable;
      return;
    case Register::clusterpmcntenset:
      enabled_ |= chosen;
      return;
    case Register::clusterpmcntenclr:
      enabled_ &= ~chosen;
      return;
    case Register::clusterpmovsclr:
      overflowed_ &= ~chosen;
      return;
    case Register::clusterpmselr:
      selector_ = static_cast<u32>(value & 0x1f);
      return;
    case Register::clusterpmxevtyper:
      if (counter != nullptr) {
        counter->event = static_cast<u16>(value);
        counter->seen = cluster_event_value(now, counter->event);
      }
      return;
    case Register::clusterpmxevcntr:
      if (counter != nullptr) counter->value = static_cast<u32>(value);
      return;
    default:
      return;
  }
}

}  // namespace wperf::sim
