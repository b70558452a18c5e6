// SPDX-License-Identifier: BSD-3-Clause
// A PMUv3 as a register file: the values of a core's counters and when they overflow, given how many instructions were
// executed at EL0 and at EL1. EL2 keeps one model per core and passes every trapped access to it (hypervisor.cpp).
// Pure: it needs no machine.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Work {
  u64 user;    // instructions at EL0
  u64 kernel;  // instructions at EL1
};

enum class PmuRegister : u8 {
  pmcr,
  cntenset,
  cntenclr,
  ovsset,
  ovsclr,
  swinc,
  selr,
  ceid0,
  ceid1,
  ccntr,
  ccfiltr,
  xevtyper,
  xevcntr,
  userenr,
  intenset,
  intenclr,
  pmmir,
  evcntr,
  evtyper,
};

class PmuModel {
 public:
  explicit constexpr PmuModel(u32 counters) : counters_(counters) {}

  // `now`: all instructions executed so far. Called before any access, and often enough that no counter wraps between
  // two calls.
  void advance(Work now);

  // `index` is the counter of evcntr and evtyper. Returns false if the access would be undefined on a real core.
  bool has(PmuRegister reg, u32 index) const;
  // Whether a write touches parts that belong to Windows: the cycle counter, its filter and its bits, and how counters
  // of all owners count (PMCR.D, LC, LP and the two resets).
  bool is_of_windows(PmuRegister reg, u64 value) const;
  u64 read(PmuRegister reg, u32 index) const;
  void write(PmuRegister reg, u32 index, u64 value);

  bool interrupt() const { return (pmcr_ & 1) != 0 && (overflowed_ & interrupts_) != 0; }

 private:
  u64 mask() const { return (u64{1} << 31) | ((u64{1} << counters_) - 1); }
  void add(u32 counter, u64 count);
  u64 filtered(u64 filter, Work work) const;
  void write_control(u64 value);

  u32 counters_;
  Work last_ = {};
  u64 pmcr_ = 0;
  u64 enabled_ = 0, overflowed_ = 0, interrupts_ = 0;
  u64 selected_ = 0, user_access_ = 0, cycle_filter_ = 0;
  u64 types_[31] = {};
  u64 values_[32] = {};  // [31]: cycles
};

}  // namespace wperf::nthost
