// SPDX-License-Identifier: BSD-3-Clause
// PMUv3 registers of one core over its signals. Reads and writes follow the Arm ARM (chapter D, "The Performance
// Monitors Extension"). Counters are updated only when they are accessed: the access passes the current signals, and
// the model adds the difference since the previous access. So counting does not slow down the executing core. Holds no
// pointer to the engine, which may not exist yet.
#pragma once
#include <array>
#include <span>

#include "base/ints.h"
#include "driver/hal.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/event_terms.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

inline constexpr u32 kMaxEventCounters = 31;
inline constexpr u32 kCycleCounterBit = 31;  // in PMCNTENSET, PMOVSCLR, PMINTENSET

struct PmuConfig {
  u64 midr = 0;
  u32 counters = 6;     // PMCR.N
  u32 version = 4;      // ID_AA64DFR0.PMUVer: 1 v3, 4 v3p1, 5 v3p4, 6 v3p5, 7 v3p7, 8 v3p8
  u32 spe_version = 1;  // ID_AA64DFR0.PMSVer, 0 = no SPE
};

// Bits of PMCR_EL0.
inline constexpr u64 kPmcrEnable = 1u << 0;
inline constexpr u64 kPmcrResetEvents = 1u << 1;
inline constexpr u64 kPmcrResetCycles = 1u << 2;
inline constexpr u64 kPmcrLongCycles = 1u << 6;
inline constexpr u64 kPmcrLongEvents = 1u << 7;  // with PMUv3p5

// Bits of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0: the counter does not count at that level.
inline constexpr u64 kFilterKernel = u64{1} << 31;
inline constexpr u64 kFilterUser = u64{1} << 30;

class CorePmu {
 public:
  explicit CorePmu(const PmuConfig& config);

  // `now`: the current signals of this core, which never decrease. Registers that do not exist (counters beyond PMCR.N,
  // cluster registers, SPE's: see spe_unit.h) read 0 and ignore writes.
  u64 read(driver::Register reg, const SignalCounts& now);
  void write(driver::Register reg, u64 value, const SignalCounts& now);

  // The level of the PMU interrupt line: an enabled counter has its overflow flag and its interrupt enable set.
  bool interrupt_pending(const SignalCounts& now);
  // Whether an overflow could raise the interrupt: a counter is counting with its interrupt enabled.
  bool armed() const { return (control_ & kPmcrEnable) != 0 && (enabled_ & interrupts_ & implemented_mask()) != 0; }
  // For each counter with an interrupt: the events of user code until it overflows. Valid until the next call.
  std::span<const EventWatch> watches(const SignalCounts& now);

  const PmuConfig& config() const { return config_; }

 private:
  struct Counter {
    u64 value = 0;
    u64 type = 0;
    const EventTerms* terms = nullptr;  // terms of its event; null if there is no model for it
    std::array<u64, 2> seen{};          // [Level]: the event's value at the last synchronize
  };

  void synchronize(const SignalCounts& now);
  void synchronize_cycles(const SignalCounts& now);
  u64 add(u32 index, u64 delta);
  u64 until_overflow(u32 index) const;
  u64 value_now(const Counter& counter, const SignalCounts& now, Level level) const;
  bool wide_events() const { return config_.version >= 6; }
  u64 implemented_mask() const;
  u64 read_counter(u32 index) const;
  void write_counter(u32 index, u64 value);
  void write_control(u64 value);
  void write_type(u32 index, u64 value, const SignalCounts& now);

  PmuConfig config_;
  std::array<Counter, kMaxEventCounters> counters_{};
  Counter cycles_;
  std::array<EventWatch, kMaxEventCounters + 1> watches_{};
  u64 control_ = 0;  // the stored bits of PMCR
  u64 enabled_ = 0;
  u64 overflowed_ = 0;
  u64 interrupts_ = 0;
};

// The values of the identification registers, for callers that have no CorePmu.
u64 id_aa64dfr0_of(const PmuConfig& config);
u64 pmceid_of(u32 index, const PmuConfig& config);  // 0 or 1

}  // namespace wperf::sim
