// SPDX-License-Identifier: BSD-3-Clause
// The statistical profiling unit (FEAT_SPE) of one core: its registers, and its handling of the operations that the
// core reports, as in the Arm ARM (chapter D, "The Statistical Profiling Extension"). Records are written directly to
// the address in PMBPTR, in the memory of this process. While the unit is off it takes no time.
#pragma once
#include <functional>
#include <utility>

#include "base/ints.h"
#include "driver/hal.h"
#include "sim/cpu/profiler.h"

namespace wperf::sim {

inline constexpr u64 kTimerMhz = 25;  // rate of the generic timer, whose ticks are the timestamps

struct SpeConfig {
  u32 version = 0;  // ID_AA64DFR0.PMSVer: 0 no SPE, 1 FEAT_SPE, 2 FEAT_SPEv1p1, 3 FEAT_SPEv1p2
  u64 seed = 1;     // seed of the jitter
  u32 mhz = 25;     // the core's clock, for timestamps
};

// Bits of the registers that tests name.
inline constexpr u64 kSpeUser = 1, kSpeKernel = 2, kSpeContext = 1 << 3, kSpePhysical = 1 << 4, kSpeTime = 1 << 5;
inline constexpr u64 kSpeFilterEvents = 1, kSpeFilterTypes = 2, kSpeFilterLatency = 4, kSpeFilterAbsent = 8;
inline constexpr u64 kSpeBranches = 1 << 16, kSpeLoads = 1 << 17, kSpeStores = 1 << 18;
inline constexpr u64 kSpeBufferEnable = 1;
inline constexpr u64 kSpeBufferFull = 1, kSpeCollision = 1 << 16, kSpeService = 1 << 17, kSpeDataLoss = 1 << 19;

class SpeUnit final : public Profiler {
 public:
  explicit SpeUnit(const SpeConfig& config);

  static bool has(driver::Register reg) { return reg >= driver::Register::pmsidr && reg <= driver::Register::pmbsr; }
  // Without SPE all registers read 0 and ignore writes.
  u64 read(driver::Register reg) const;
  void write(driver::Register reg, u64 value);

  // Called for each record that is written. The thread that runs does not continue in the meantime. May be empty.
  using RecordCall = std::function<void(u32 context, u64 pc, u64 ticks)>;
  void watch(RecordCall call) { watcher_ = std::move(call); }

  bool active() const { return profiles(Level::user) || profiles(Level::kernel); }
  // Sets the context that runs on the core from here on, and the number of cycles by which the core's clock is ahead of
  // the reported cycles.
  void enter(u32 context, u64 cycles_ahead) {
    context_ = context;
    cycles_ahead_ = cycles_ahead;
  }
  // Whether the interrupt is pending: it is raised each time PMBSR.S becomes 1. The call clears it.
  bool take_interrupt();
  bool interrupt_pending() const { return interrupt_; }

  bool profiles(Level level) const override {
    const bool on = (limit_ & kSpeBufferEnable) != 0 && (status_ & kSpeService) == 0;
    return on && (control_ & (level == Level::user ? kSpeUser : kSpeKernel)) != 0;
  }
  u64 remaining() const override;
  void pass(u64 operations) override;
  bool choose(u64 cycle) override;
  Completion complete(const Operation& operation) override;

 private:
  bool passes_filters(const Operation& operation, u64 events) const;
  bool passes_types(const Operation& operation) const;
  void load_interval();
  bool write_record(const Operation& operation, u64 events);
  void end_buffer(u64 status);
  u64 ticks_of(u64 cycle) const;

  SpeConfig config_;
  u64 control_ = 0, interval_ = 0, filter_ = 0, events_ = 0, absent_ = 0, latency_ = 0;  // PMSCR, PMSIRR, PMS*FR
  u64 limit_ = 0, pointer_ = 0, status_ = 0;                                             // PMBLIMITR, PMBPTR, PMBSR
  u64 count_ = 0;                                                                        // PMSICR
  u64 random_;
  bool loaded_ = false;  // count_ holds an interval
  bool interrupt_ = false;
  u32 context_ = 0;
  u64 cycles_ahead_ = 0;
  u64 busy_until_ = 0;       // the cycle until which the chosen operation is under way
  u64 previous_target_ = 0;  // in the form of a packet
  RecordCall watcher_;
};

// PMSIDR_EL1 and PMBIDR_EL1 of a version.
u64 pmsidr_of(u32 version);
u64 pmbidr_of(u32 version);

}  // namespace wperf::sim
