// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/count_session.h"

#include "driver/core/core_mask.h"
#include "driver/core/critical.h"
#include "driver/core/on_core.h"

namespace wperf::driver {
namespace {

constexpr EventClass kDmcClasses[] = {EventClass::dmc_clk, EventClass::dmc_clkdiv2};

// Calls visit(class, number, core) for every unit that the request counts: chosen cores, their clusters (each with its
// lowest chosen core), channels.
template <typename Visit>
void for_each_unit(const WperfCountRequest& request, const HardwareFacts& machine, u32 dmc_channels, Visit visit) {
  for (u32 core = 0; core < machine.core_count; ++core) {
    if (has_core(request.core_mask, core)) {
      visit(EventClass::core, core, core);
    }
  }
  u32 last_cluster = kNoCluster;
  for (u32 core = 0; core < machine.core_count && request.entry_count[index_of(EventClass::dsu)] != 0; ++core) {
    const u32 cluster = machine.cluster_of(core);
    if (has_core(request.core_mask, core) && cluster != last_cluster) {
      visit(EventClass::dsu, cluster, core);
      last_cluster = cluster;
    }
  }
  const ChannelRange channels = channels_of(request, dmc_channels);
  for (const EventClass event_class : kDmcClasses) {
    for (u32 i = 0; i < channels.count && request.entry_count[index_of(event_class)] != 0; ++i) {
      visit(event_class, channels.first + i, u32{0});
    }
  }
}

}  // namespace

WperfStatus CountSession::configure(const WperfCountRequest& request, const HardwareFacts& machine) {
  if (counting_) {
    return WPERF_WRONG_STATE;
  }
  const Critical critical(hal_);
  abandon_all();
  if (!everything_given_back()) {
    return WPERF_HARDWARE_FAILED;
  }
  usize units = 0;
  usize accumulators = 0;
  for_each_unit(request, machine, channels_.count(), [&](EventClass event_class, u32, u32) {
    ++units;
    accumulators += request.entry_count[index_of(event_class)];
  });
  void* memory = hal_.allocate(units * sizeof(Unit) + accumulators * sizeof(Accumulator));
  if (memory == nullptr) {
    return WPERF_NO_MEMORY;
  }
  release_memory();
  units_ = static_cast<Unit*>(memory);
  next_accumulator_ = reinterpret_cast<Accumulator*>(units_ + units);
  plan_classes(request, machine);
  for_each_unit(request, machine, channels_.count(),
                [&](EventClass event_class, u32 number, u32 core) { add_unit(event_class, number, core); });
  return WPERF_OK;
}

void CountSession::plan_classes(const WperfCountRequest& request, const HardwareFacts& machine) {
  bool multiplexed = false;
  for (const EventClass event_class : kEventClasses) {
    ClassPlan& plan = plans_[index_of(event_class)];
    plan.ring = ring_of(request, event_class, machine);
    for (u32 i = 0; i < plan.ring.length; ++i) {
      plan.events[i] = entries_of(request, event_class).entries[i].event;
    }
    plan.counts_cycles = event_class == EventClass::core && plan.ring.used() < plan.ring.counters;
    multiplexed = multiplexed || plan.ring.multiplexed();
  }
  for (u32 i = 0; i < kMaxCounters; ++i) {
    counter_map_[i] = machine.counter_map[i];
  }
  timer_ms_ = period_of(request) * (multiplexed ? 1 : 2);
  kernel_ = (request.flags & WPERF_COUNT_KERNEL) != 0;
}

void CountSession::add_unit(EventClass event_class, u32 number, u32 core) {
  Unit& unit = units_[unit_count_++];
  unit.event_class = event_class;
  unit.number = number;
  unit.core = core;
  unit.entries = next_accumulator_;
  next_accumulator_ += plan_of(unit).ring.length;
}

WperfStatus CountSession::start() {
  if (units_ == nullptr || counting_) {
    return WPERF_WRONG_STATE;
  }
  {
    const Critical critical(hal_);
    abandon_all();
    if (!everything_given_back()) {
      return WPERF_HARDWARE_FAILED;
    }
    for (u32 i = 0; i < unit_count_; ++i) {
      if (const WperfStatus status = perform(units_[i], Action::start); status != WPERF_OK) {
        abandon_all();
        return status;
      }
    }
    counting_ = true;
  }
  const WperfStatus status = timer_.start(TimerUser::counting, timer_ms_);
  if (status != WPERF_OK) {
    const Critical critical(hal_);
    counting_ = false;
    abandon_all();
  }
  return status;
}

WperfStatus CountSession::stop() {
  if (!counting_) {
    return WPERF_WRONG_STATE;
  }
  timer_.stop(TimerUser::counting);
  const Critical critical(hal_);
  counting_ = false;
  WperfStatus result = WPERF_OK;
  for (u32 i = 0; i < unit_count_; ++i) {
    if (const WperfStatus status = perform(units_[i], Action::stop); status != WPERF_OK) {
      close_partial_slot(units_[i], plan_of(units_[i]));
      result = status;
    }
  }
  return result;
}

WperfStatus CountSession::read(const WperfCountReadRequest& request, WperfCountReply& reply) {
  if (units_ == nullptr) {
    return WPERF_WRONG_STATE;
  }
  const Critical critical(hal_);
  Unit* unit = find(request.event_class, request.unit);
  if (unit == nullptr) {
    return WPERF_BAD_ARGUMENT;
  }
  if (counting_) {
    if (const WperfStatus status = perform(*unit, Action::fold); status != WPERF_OK) {
      return status;
    }
  }
  describe_unit(*unit, plan_of(*unit), reply);
  return WPERF_OK;
}

WperfStatus CountSession::settle() {
  const Critical critical(hal_);
  abandon_all();
  return everything_given_back() ? WPERF_OK : WPERF_HARDWARE_FAILED;
}

void CountSession::discard() {
  if (counting_) {
    timer_.stop(TimerUser::counting);
  }
  const Critical critical(hal_);
  counting_ = false;
  abandon_all();
  release_memory();
}

void CountSession::tick() {
  const Critical critical(hal_);
  for (u32 i = 0; counting_ && i < unit_count_; ++i) {
    // A core that cannot be reached now stays in its slot, which then simply lasts longer.
    static_cast<void>(perform(units_[i], Action::tick));
  }
}

WperfStatus CountSession::perform(Unit& unit, Action action) {
  auto work = [&] { apply(unit, action); };
  if (unit.event_class == EventClass::core || unit.event_class == EventClass::dsu) {
    return run_on(hal_, unit.core, work);
  }
  work();
  return WPERF_OK;
}

void CountSession::apply(Unit& unit, Action action) {
  const u32 used = plan_of(unit).counters();
  switch (unit.event_class) {
    case EventClass::core: {
      CoreBank bank(hal_, unit.found.core, counter_map_, used, kernel_);
      apply_to_bank(unit, action, bank);
      break;
    }
    case EventClass::dsu: {
      DsuBank bank(hal_, unit.found.cluster, used);
      apply_to_bank(unit, action, bank);
      break;
    }
    case EventClass::dmc_clk:
    case EventClass::dmc_clkdiv2: {
      const bool clkdiv2 = unit.event_class == EventClass::dmc_clkdiv2;
      DmcBank bank(hal_, unit.found.dmc, channels_.frame(unit.number), clkdiv2, used);
      apply_to_bank(unit, action, bank);
      break;
    }
  }
}

void CountSession::apply_to_bank(Unit& unit, Action action, CounterBank& bank) {
  const ClassPlan& plan = plan_of(unit);
  switch (action) {
    case Action::start:
      return start_unit(unit, plan, bank, hal_);
    case Action::fold:
      return fold_unit(unit, plan, bank, hal_);
    case Action::tick:
      return plan.ring.multiplexed() ? rotate_unit(unit, plan, bank, hal_) : fold_unit(unit, plan, bank, hal_);
    case Action::stop:
      return stop_unit(unit, plan, bank, hal_);
    case Action::abandon:
      return abandon_unit(unit, bank);
  }
}

// Also retries units whose core could not be reached when they were stopped.
void CountSession::abandon_all() {
  for (u32 i = 0; i < unit_count_; ++i) {
    if (units_[i].claimed) {
      static_cast<void>(perform(units_[i], Action::abandon));
    }
  }
}

bool CountSession::everything_given_back() const {
  for (u32 i = 0; i < unit_count_; ++i) {
    if (units_[i].claimed) {
      return false;
    }
  }
  return true;
}

void CountSession::release_memory() {
  if (units_ != nullptr) {
    hal_.free(units_);
  }
  units_ = nullptr;
  unit_count_ = 0;
}

Unit* CountSession::find(u32 event_class, u32 number) {
  for (u32 i = 0; i < unit_count_; ++i) {
    if (static_cast<u32>(units_[i].event_class) == event_class && units_[i].number == number) {
      return &units_[i];
    }
  }
  return nullptr;
}

}  // namespace wperf::driver
