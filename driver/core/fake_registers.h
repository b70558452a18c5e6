// SPDX-License-Identifier: BSD-3-Clause
// The system registers of FakeHal: which part of the hardware a register belongs to, what a read returns, and which
// accesses a well-behaved driver never makes. fake_hal.h includes this file.
#pragma once
#include "driver/core/fake_hal.h"

namespace wperf::driver {

inline u64 FakeHal::read_register(Register reg) {
  expect(current_core != kNowhere, "register read off its core");
  if (current_core == kNowhere) {
    return 0;
  }
  if (const auto happening = before_read) {  // a copy, because it may remove itself
    happening(reg);
  }
  FakePmu& core = cores[current_core];
  if (reg >= Register::event_counter_0) {
    return *core.find(reg);
  }
  if (reg == Register::cntfrq) {
    return timer_hz;
  }
  if (reg == Register::cntvct) {
    return timer_begin + now_ns / 1000 * timer_hz / 1'000'000;
  }
  if (reg >= Register::clusterpmcr) {
    expect(machine_.cluster_count != 0, "cluster register without a DSU");
    return *clusters[current_core / machine_.cluster_size].find(reg);
  }
  const u32 spe_version = spe_versions[current_core];
  const u64 dfr0 = (u64{pmu_versions[current_core]} << 8) | (u64{spe_version} << 32);
  const bool pmu = reg == Register::midr || reg == Register::id_aa64dfr0 || has_pmu(dfr0);
  expect(pmu || reg >= Register::pmsidr, "PMU register of a core without a PMU");
  const bool identity = reg == Register::midr || reg == Register::id_aa64dfr0;
  const bool of_pmu = !identity && (reg < Register::pmsidr || reg >= Register::event_counter_0);
  expect(!of_pmu || cores_with_trapped_pmu.count(current_core) == 0, "PMU register that is trapped");
  expect(reg < Register::pmsidr || spe_version != 0, "SPE register of a core without SPE");
  expect(reg < Register::pmsidr || cores_with_trapped_spe.count(current_core) == 0, "SPE register that is trapped");
  expect(reg != Register::pmsnevfr || spe_version >= 3, "PMSNEVFR of a core without FEAT_SPEv1p2");
  if (const u64* found = spes[current_core].find(reg)) {
    return *found;
  }
  if (const u64* found = core.find(reg)) {
    return *found;
  }
  switch (reg) {
    case Register::midr:
      return machine_.midr;
    case Register::id_aa64dfr0:
      return dfr0;
    case Register::pmceid0:
      return 0x7fff'0f3f;
    case Register::pmceid1:
      return 0x3'0000'0000;
    case Register::pmsidr:
      return pmsidrs[current_core];
    case Register::pmbidr:
      return pmbidrs[current_core];
    default:
      return 0;
  }
}

inline void FakeHal::write_register(Register reg, u64 value) {
  expect(current_core != kNowhere, "register written off its core");
  if (current_core == kNowhere) {
    return;
  }
  if (const auto happening = before_write) {
    happening(reg);
  }
  FakeSpe& spe = spes[current_core];
  if (spe.find(reg) == nullptr) {
    store_register(reg, value);
    interrupt(current_core);
    return;
  }
  const u32 version = spe_versions[current_core];
  expect(version != 0, "SPE register of a core without SPE");
  expect(reg != Register::pmsnevfr || version >= 3, "PMSNEVFR of a core without FEAT_SPEv1p2");
  expect((pmbidrs[current_core] & kPmbidrProgrammingRefused) == 0, "SPE register of somebody above");
  const char* wrong = spe.store(reg, value, machine_.spe_events);
  expect(wrong == nullptr, wrong == nullptr ? "" : wrong);
  interrupt_of_buffer(current_core);
}

inline void FakeHal::store_register(Register reg, u64 value) {
  const auto check = [this](const char* wrong) { expect(wrong == nullptr, wrong == nullptr ? "" : wrong); };
  if (reg >= Register::clusterpmcr && reg < Register::cntfrq) {
    return check(clusters[current_core / machine_.cluster_size].store(reg, value, 0));
  }
  expect(cores_with_trapped_pmu.count(current_core) == 0, "PMU register that is trapped");
  FakePmu& core = cores[current_core];
  if (reg < Register::event_counter_0) {
    return check(core.store(reg, value, ours()));
  }
  const u32 index = static_cast<u32>(reg) & 0xff;
  expect(bit_field(ours(), index, 1) != 0 && index < machine_.counters, "a counter that is not ours");
  check(core.store_counter(reg, value, width(current_core)));
}

}  // namespace wperf::driver
