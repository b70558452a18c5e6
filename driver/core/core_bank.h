// SPDX-License-Identifier: BSD-3-Clause
// The PMUv3 counters of the core on which this code runs. The fixed cycle counter, its filter and its mode (PMCR.LC, D)
// belong to the system, and all users of counters share PMCR.LP, so these are never written.
#pragma once
#include "base/ints.h"
#include "driver/core/counter_bank.h"
#include "driver/core/pmu_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

struct CoreRegisters {  // values before claim(), to be restored
  u64 pmcr;
  u64 enabled;             // PMCNTENSET
  u64 interrupts_enabled;  // PMINTENSET
  u64 event_types[kMaxCounters];
  u32 counter_bits;  // not restored: found by claim()
};

class CoreBank final : public CounterBank {
 public:
  // `map` names the hardware counter of each of the `used` counters.
  CoreBank(Hal& hal, CoreRegisters& found, const u8* map, u32 used, bool kernel);

  void claim() override;
  void prepare() override;
  void give_back() override;
  void set_event(u32 counter, u32 event) override;
  void run() override;
  void halt() override;
  u64 setup_of(u32 counter) override;
  u64 read_counter(u32 counter) override;
  u32 take_overflows() override;
  u32 counter_bits() const override { return found_.counter_bits; }
  bool has_shared_cycles() override;
  u64 read_shared_cycles() override;

 private:
  u64 filter() const { return kernel_ ? 0 : kExcludeEl1; }

  Hal& hal_;
  CoreRegisters& found_;
  const u8* map_;
  u32 used_;
  u64 mask_ = 0;  // the hardware counters of this bank
  bool kernel_;
};

}  // namespace wperf::driver
