// SPDX-License-Identifier: BSD-3-Clause
// One client's counting, from configure to read: owns the units and their memory, drives them through start, timer and
// stop. Counts accumulate across start and stop, and restart with each configuration. The session takes the hal's lock
// itself, so that tick() may run during a request.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/event_class.h"
#include "base/ints.h"
#include "driver/core/count_request.h"
#include "driver/core/dmc_channels.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/shared_timer.h"
#include "driver/core/unit.h"
#include "driver/hal.h"

namespace wperf::driver {

class CountSession {
 public:
  CountSession(Hal& hal, const DmcChannels& channels, SharedTimer& timer)
      : hal_(hal), channels_(channels), timer_(timer) {}

  bool counting() const { return counting_; }

  // `request` must have passed check_count_request(). The only step that allocates.
  [[nodiscard]] WperfStatus configure(const WperfCountRequest& request, const HardwareFacts& machine);
  [[nodiscard]] WperfStatus start();
  // Always ends counting. A failure means that a core could not be reached; the counts of that core end at their last
  // fold.
  [[nodiscard]] WperfStatus stop();
  // Updates the unit's counts if counting. `reply` must be zeroed.
  [[nodiscard]] WperfStatus read(const WperfCountReadRequest& request, WperfCountReply& reply);
  // Retries restoring the registers of cores that could not be reached. Not called while counting.
  [[nodiscard]] WperfStatus settle();
  void discard();  // stops if necessary and discards all counts
  void tick();     // called by the timer: opens new slots if multiplexed; otherwise only folds, so that no counter
                   // wraps unnoticed

 private:
  enum class Action : u8 { start, fold, tick, stop, abandon };

  [[nodiscard]] WperfStatus perform(Unit& unit, Action action);
  void apply(Unit& unit, Action action);
  void apply_to_bank(Unit& unit, Action action, CounterBank& bank);
  void abandon_all();
  bool everything_given_back() const;
  void plan_classes(const WperfCountRequest& request, const HardwareFacts& machine);
  void add_unit(EventClass event_class, u32 number, u32 core);
  void release_memory();
  Unit* find(u32 event_class, u32 number);
  const ClassPlan& plan_of(const Unit& unit) const { return plans_[index_of(unit.event_class)]; }

  Hal& hal_;
  const DmcChannels& channels_;
  SharedTimer& timer_;
  ClassPlan plans_[kEventClassCount] = {};
  u8 counter_map_[kMaxCounters] = {};
  u32 timer_ms_ = 0;
  bool kernel_ = false;
  bool counting_ = false;
  Unit* units_ = nullptr;  // points to the start of the one block of memory; the accumulators follow
  Accumulator* next_accumulator_ = nullptr;
  u32 unit_count_ = 0;
};

}  // namespace wperf::driver
