// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_bank.h"

#include "base/bits.h"

namespace wperf::driver {
namespace {

constexpr u64 kResets = kPmcrResetEvents | kPmcrResetCycles;

}  // namespace

void silence_counters(Hal& hal, u64 counter_mask) {
  hal.write_register(Register::pmintenclr, counter_mask);
  hal.write_register(Register::pmcntenclr, counter_mask);
  hal.synchronize();
}

void SampleBank::claim() {
  found_.pmcr = hal_.read_register(Register::pmcr);
  found_.pmccfiltr = hal_.read_register(Register::pmccfiltr);
  found_.enabled = hal_.read_register(Register::pmcntenset);
  found_.interrupts_enabled = hal_.read_register(Register::pmintenset);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    if (plan_.counters[i] != kCycleCounter) {
      found_.event_types[i] = hal_.read_register(event_type(plan_.counters[i]));
    }
  }
  // Whether counters of 64 bits overflow at 32 is one switch for all, also those of others (PMCR.LP, LC for cycles). It
  // stays as it is: so far below its top a counter passes both at once.
  found_.counter_bits = has_long_counters(hal_.read_register(Register::id_aa64dfr0)) ? 64 : 32;

  silence();
  u64 pmcr = (found_.pmcr & ~kResets) | kPmcrEnable;
  if (plan_.uses_cycle_counter) {
    found_.cycles = hal_.read_register(Register::pmccntr);  // it stands still
    pmcr &= ~kPmcrDivideCycles;
    hal_.write_register(Register::pmccfiltr, filter());
  }
  hal_.write_register(Register::pmovsclr, plan_.counter_mask);
  hal_.write_register(Register::pmcr, pmcr);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    if (plan_.counters[i] != kCycleCounter) {
      hal_.write_register(event_type(plan_.counters[i]), filter() | plan_.events[i]);
    }
  }
  hal_.synchronize();
}

void SampleBank::give_back(u64 passed_cycles) {
  hal_.write_register(Register::pmovsclr, plan_.counter_mask);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    if (plan_.counters[i] != kCycleCounter) {
      hal_.write_register(event_type(plan_.counters[i]), found_.event_types[i]);
    }
  }
  if (plan_.uses_cycle_counter) {
    hal_.write_register(Register::pmccntr, found_.cycles + passed_cycles);
    hal_.write_register(Register::pmccfiltr, found_.pmccfiltr);
  }
  hal_.write_register(Register::pmcr, found_.pmcr & ~kResets);
  hal_.write_register(Register::pmcntenset, found_.enabled & plan_.counter_mask);
  hal_.write_register(Register::pmintenset, found_.interrupts_enabled & plan_.counter_mask);
  hal_.synchronize();
}

void SampleBank::run() {
  hal_.synchronize();  // types and values first
  hal_.write_register(Register::pmintenset, plan_.counter_mask);
  hal_.write_register(Register::pmcntenset, plan_.counter_mask);
  hal_.synchronize();
}

u64 SampleBank::read(u32 event) {
  return wrap(event, hal_.read_register(counter_of(event)));
}

void SampleBank::set_before_overflow(u32 event, u64 by) {
  hal_.write_register(counter_of(event), wrap(event, 0 - by));
}

u32 SampleBank::pause_overflowed() {
  const u64 interrupting = hal_.read_register(Register::pmintenset) & plan_.counter_mask;
  const u64 flags = hal_.read_register(Register::pmovsclr) & interrupting;
  if (flags == 0) {
    return 0;
  }
  hal_.write_register(Register::pmcntenclr, flags);
  hal_.synchronize();
  u32 events = 0;
  for (u32 i = 0; i < plan_.event_count; ++i) {
    events |= static_cast<u32>(bit_field(flags, plan_.counters[i], 1)) << i;
  }
  return events;
}

void SampleBank::resume(u32 events) {
  u64 counters = 0;
  for (u32 i = 0; i < plan_.event_count; ++i) {
    counters |= bit_field(events, i, 1) << plan_.counters[i];
  }
  hal_.write_register(Register::pmovsclr, counters);
  hal_.synchronize();
  hal_.write_register(Register::pmcntenset, counters);
  hal_.synchronize();
}

Register SampleBank::counter_of(u32 event) const {
  const u32 counter = plan_.counters[event];
  return counter == kCycleCounter ? Register::pmccntr : event_counter(counter);
}

u64 SampleBank::wrap(u32 event, u64 value) const {
  const bool whole = plan_.counters[event] == kCycleCounter || found_.counter_bits == 64;
  return whole ? value : value & 0xffff'ffff;
}

}  // namespace wperf::driver
