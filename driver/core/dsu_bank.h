// SPDX-License-Identifier: BSD-3-Clause
// The DynamIQ shared unit's counters, in the cluster of the core on which this code runs. The driver uses all of them:
// cluster counters cannot be reserved.
#pragma once
#include "base/ints.h"
#include "driver/core/counter_bank.h"
#include "driver/core/pmu_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

struct ClusterRegisters {  // values before claim(), to be restored
  u64 pmcr;
  u64 enabled;
  u64 selected;
  u64 event_types[kMaxCounters];
};

class DsuBank final : public CounterBank {
 public:
  DsuBank(Hal& hal, ClusterRegisters& found, u32 used) : hal_(hal), found_(found), used_(used) {}

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
  u64 mask() const { return low_bits(used_); }
  void select(u32 counter);

  Hal& hal_;
  ClusterRegisters& found_;
  u32 used_;
};

}  // namespace wperf::driver
